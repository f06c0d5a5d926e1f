use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::init::shown;
use super::{FOLDER, report};
use crate::cli::args::delivery::DeliveryArgs;
use crate::cli::args::place::{Place, named_or_of_project};
use crate::cli::args::value::BaseImage;
use crate::cli::invocation::{Access, Invocation};
use crate::cli::report::image;
use crate::error::Result;
use crate::image::Content;
use crate::olm::catalog::{Catalog, check};
use crate::project::name::Image;

const EXAMPLES: &str = "\
Examples:
  rop catalog build --image registry.example.com/app-catalog:v1.0.0 --push
  rop catalog build --image app-catalog:v1.0.0 --output oci-archive:app-catalog.tar
  rop catalog build --image registry.example.com/app-catalog --base quay.io/operator-framework/opm:v1.59.0 --push";

/// Validate a file-based catalog and build its image.
///
/// The image has the catalog in `/configs`, and the label by which OLM finds it. The same files give the same
/// digest. Without `--push` or `--output`, the image is saved in a file under `target/`. By default it contains
/// only the catalog, and a `CatalogSource` needs `grpcPodConfig.extractContent`. With `--base`, an image with
/// `/bin/opm`, it serves the catalog itself.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct BuildArgs {
    /// Directory of the catalog [default: catalog].
    #[arg(value_name = "DIR")]
    catalog: Option<PathBuf>,

    /// Image of the catalog, as REGISTRY/REPOSITORY[:TAG].
    #[arg(long, value_name = "REF")]
    #[allow(rustdoc::broken_intra_doc_links, reason = "the help shows it as it is")]
    image: Image,

    /// Base image with opm, or `scratch` for none.
    #[arg(long, value_name = "IMAGE", default_value = "scratch")]
    base: BaseImage,

    #[command(flatten)]
    delivery: DeliveryArgs,
}

pub(super) fn run(args: BuildArgs, invocation: &Invocation) -> Result<()> {
    let folder = named_or_of_project(args.catalog.as_deref(), FOLDER)?;
    let place = Place::find(&folder)?;
    let entered = invocation.enter(&place.root, Access::Read)?;
    let catalog = Catalog::read(&entered.view, &place.folder)?;
    let findings = check(&catalog);
    if !findings.is_empty() {
        return Err(report::error(&place.folder, &findings)
            .context("the catalog is invalid, so no image was built"));
    }
    let is_scratch = args.base.0.is_none();
    let has_destination = args.delivery.has_destination();
    let content = Content::catalog(&catalog.contents());
    let (image, base) = (args.image, args.base.0);
    let request = args.delivery.request(&place.root, image, base, content);
    let Some(name) = image::deliver("catalog build", &request, invocation)? else {
        return Ok(());
    };
    let extract = if is_scratch {
        let extract = json!({"extractContent": {"catalogDir": "/configs"}});
        format!(" and `grpcPodConfig: {extract}`")
    } else {
        String::new()
    };
    invocation.ui.note(&format!(
        "a CatalogSource needs `image: {name}`{extract}; a ClusterCatalog needs `ref: {name}`"
    ));
    if !has_destination {
        let argument = match &args.catalog {
            Some(folder) => format!("{} ", shown(folder)),
            None => String::new(),
        };
        invocation
            .ui
            .next(&[format!("rop catalog build {argument}--image {name} --push")]);
    }
    Ok(())
}
