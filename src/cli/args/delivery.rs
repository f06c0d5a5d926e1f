use std::path::Path;
use std::time::Duration;

use clap::Args;

use super::value::Pair;
use crate::image::{Content, ContentRequest, Output, Platform};
use crate::project::name::Image;

/// Where an image goes, and for which platforms it is.
#[derive(Debug, Args)]
pub(in crate::cli) struct DeliveryArgs {
    /// Push the image to its registry.
    #[arg(long)]
    pub(in crate::cli) push: bool,

    /// Save the image as oci:DIR, oci-archive:FILE or docker-archive:FILE.
    #[arg(long, value_name = "FORMAT:PATH")]
    pub(in crate::cli) output: Option<Output>,

    /// Platform, such as linux/arm64; repeatable [default: this machine's].
    #[arg(long = "platform", value_delimiter = ',')]
    pub(in crate::cli) platforms: Vec<Platform>,

    /// Image label; repeatable.
    #[arg(long = "label", value_name = "NAME=VALUE")]
    pub(in crate::cli) labels: Vec<Pair>,

    /// Allow registries without TLS; not needed for localhost.
    #[arg(long)]
    pub(in crate::cli) insecure: bool,

    /// Registry timeout.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
}

impl DeliveryArgs {
    /// Whether the image goes where a flag says.
    pub(in crate::cli) fn has_destination(&self) -> bool {
        self.push || self.output.is_some()
    }

    pub(in crate::cli) fn patience(&self) -> Duration {
        Duration::from_secs(self.timeout)
    }

    /// An image of files.
    pub(in crate::cli) fn request(
        self,
        root: &Path,
        image: Image,
        base: Option<Image>,
        content: Content,
    ) -> ContentRequest<'_> {
        let patience = self.patience();
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
            insecure: self.insecure,
            patience,
        }
    }
}
