use clap::Args;

use crate::error::Result;
use crate::image::{Builder, Request};
use crate::project::name::{Image, Tag};
use crate::project::{self, Root};

use super::args::delivery::DeliveryArgs;
use super::args::target::project_here;
use super::args::value::{BaseImage, Pair};
use super::invocation::Invocation;
use super::report::image;
use crate::address::IMAGE;
use crate::cli::help::examples;

const EXAMPLES: &str = "\
Examples:
  rop build
  rop build --push 127.0.0.1:5000/example/app-operator
  rop build --push registry.example.com/app-operator:v0.1.0 --tag latest --sbom
  rop build app-operator:v0.1.0 --engine none --output oci-archive:app-operator.tar
  rop build app-operator --base gcr.io/distroless/static-debian12:nonroot";

/// Build the operator's image, with or without a container engine.
///
/// With an engine, builds the project's Dockerfile. Without one, rop compiles a static binary and assembles the image
/// itself: the same sources give the same digest. Without `--push` or `--output`, saves a file under `target/`.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[IMAGE]))]
pub(super) struct BuildArgs {
    /// Image to build: REGISTRY/REPOSITORY[:TAG] [default: the image in config/manager].
    #[allow(rustdoc::broken_intra_doc_links, reason = "the help shows it as it is")]
    image: Option<Image>,

    #[command(flatten)]
    delivery: DeliveryArgs,

    /// Tool that builds the image.
    #[arg(long, value_enum, default_value_t)]
    engine: Builder,

    /// Base image, or `scratch` for none.
    #[arg(long, value_name = "IMAGE")]
    base: Option<BaseImage>,

    /// Additional tag; repeatable.
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<Tag>,

    /// Build argument of the Dockerfile; repeatable.
    #[arg(long = "build-arg", value_name = "NAME=VALUE")]
    arguments: Vec<Pair>,

    /// Attach an SPDX SBOM of the operator's crates.
    #[arg(long)]
    sbom: bool,
}

pub(super) fn run(args: BuildArgs, invocation: &Invocation) -> Result<()> {
    let root = project_here(invocation)?;
    let request = args.request(&root)?;
    let recipe = request.recipe()?;
    if let Some(note) = &recipe.note {
        invocation.ui.note(note);
    }
    if invocation.dry_run {
        return image::plan(&(&request).into(), &recipe, invocation);
    }
    let built = request.build(&recipe, &invocation.ui)?;
    image::report(&(&request).into(), &recipe, &built, invocation)?;
    if !(request.push || request.output.is_some() || invocation.json) {
        invocation.ui.next(&image::next(&root.path, &recipe));
    }
    Ok(())
}

impl BuildArgs {
    fn request(self, root: &Root) -> Result<Request<'_>> {
        let image = match self.image {
            Some(image) => image,
            None => project::deployed_image(&root.path).map_err(|error| {
                error.hint("name the image: `rop build registry.example.com/app-operator:v0.1.0`")
            })?,
        };
        let arguments = self.arguments.into_iter();
        let delivery = self.delivery;
        let labels = delivery.labels.into_iter();
        Ok(Request {
            root: &root.path,
            operator: root.project.project_name.as_str(),
            beside: root.project.runtime.folder_outside(),
            image,
            tags: self.tags,
            builder: self.engine,
            platforms: delivery.platforms,
            base: self.base.and_then(|base| base.0),
            labels: labels.map(|pair| (pair.name, pair.value)).collect(),
            arguments: arguments
                .map(|pair| format!("{}={}", pair.name, pair.value))
                .collect(),
            output: delivery.output,
            push: delivery.push,
            insecure: delivery.registry.insecure,
            sbom: self.sbom,
            patience: delivery.registry.patience(),
        })
    }
}
