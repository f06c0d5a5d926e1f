use std::path::Path;

use clap::Args;

use super::registry::RegistryArgs;
use super::value::Pair;
use crate::image::{Content, ContentRequest, Output, Platform};
use crate::plan::reserved;
use crate::project::name::{Image, NameError};

/// Where an image goes, and for which platforms it is.
#[derive(Debug, Args)]
pub(in crate::cli) struct DeliveryArgs {
    /// Push the image to its registry.
    #[arg(long)]
    pub(in crate::cli) push: bool,

    /// Save the image as oci:DIR, oci-archive:FILE or docker-archive:FILE.
    #[arg(long, value_name = "FORMAT:PATH", value_parser = output)]
    pub(in crate::cli) output: Option<Output>,

    /// Platform, such as linux/arm64; repeatable [default: this machine's].
    #[arg(long = "platform", value_delimiter = ',')]
    pub(in crate::cli) platforms: Vec<Platform>,

    /// Image label; repeatable.
    #[arg(long = "label", value_name = "NAME=VALUE")]
    pub(in crate::cli) labels: Vec<Pair>,

    #[command(flatten)]
    pub(in crate::cli) registry: RegistryArgs,
}

impl DeliveryArgs {
    /// Whether the image goes where a flag says.
    pub(in crate::cli) fn has_destination(&self) -> bool {
        self.push || self.output.is_some()
    }

    /// An image of files.
    pub(in crate::cli) fn request(
        self,
        root: &Path,
        image: Image,
        base: Option<Image>,
        content: Content,
    ) -> ContentRequest<'_> {
        let labels = self.labels.into_iter();
        ContentRequest {
            root,
            content,
            image,
            platforms: self.platforms,
            base,
            labels: labels.map(|pair| (pair.name, pair.value)).collect(),
            output: self.output,
            push: self.push,
            insecure: self.registry.insecure,
            patience: self.registry.patience(),
        }
    }
}

/// Where an image is written. As files of a project, no image is in the folders of version control.
fn output(value: &str) -> Result<Output, NameError> {
    let output: Output = value.parse()?;
    match reserved(&output.path) {
        None => Ok(output),
        Some(name) => Err(NameError {
            what: "output",
            value: value.to_owned(),
            rule: format!("rop does not write to `{}`", name.display()),
            hint: Some("choose another path".into()),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::output;

    #[test]
    fn no_image_is_in_a_folder_of_version_control() {
        for bad in [
            "oci:.git/x",
            "oci-archive:a/.GIT/b.tar",
            "docker-archive:/a/.jj",
        ] {
            let error = output(bad).expect_err(bad);
            assert!(
                error.rule.starts_with("rop does not write to `."),
                "{error}"
            );
        }
        assert!(output("oci:.github/x").is_ok());
    }
}
