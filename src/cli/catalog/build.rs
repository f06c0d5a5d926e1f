use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde_json::json;

use super::place::Place;
use super::report;
use crate::cli::args::value::{BaseImage, Pair};
use crate::cli::invocation::{Access, Invocation};
use crate::cli::report::image;
use crate::error::Result;
use crate::image::{CatalogRequest, Output, Platform};
use crate::olm::catalog::{Catalog, check};
use crate::project::name::Image;

const EXAMPLES: &str = "\
Examples:
  rop catalog build --image registry.example.com/app-catalog:v1.0.0 --push
  rop catalog build --image app-catalog:v1.0.0 --output oci-archive:app-catalog.tar
  rop catalog build --image registry.example.com/app-catalog --base quay.io/operator-framework/opm:v1.59.0 --push";

/// Build the image of a file-based catalog, after its validation.
///
/// The image has the catalog in `/configs`, and the label by which OLM finds it. The same files give the same
/// digest. Without `--push` or `--output`, the image is saved in a file under `target/`. By default it has nothing
/// but the catalog: a `CatalogSource` then needs `grpcPodConfig.extractContent`. Over `--base`, which must contain
/// `/bin/opm`, it serves the catalog itself.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct BuildArgs {
    /// Folder of the catalog.
    #[arg(value_name = "DIR", default_value = "catalog")]
    catalog: PathBuf,

    /// Image of the catalog, as REGISTRY/REPOSITORY[:TAG].
    #[arg(long, value_name = "REF")]
    #[allow(rustdoc::broken_intra_doc_links, reason = "the help shows it as it is")]
    image: Image,

    /// Push the image to its registry.
    #[arg(long)]
    push: bool,

    /// Save the image as oci:DIR, oci-archive:FILE or docker-archive:FILE.
    #[arg(long, value_name = "FORMAT:PATH")]
    output: Option<Output>,

    /// Base image with opm, or `scratch` for none.
    #[arg(long, value_name = "IMAGE", default_value = "scratch")]
    base: BaseImage,

    /// Platform, such as linux/arm64; repeatable [default: this machine's].
    #[arg(long = "platform", value_delimiter = ',')]
    platforms: Vec<Platform>,

    /// Image label; repeatable.
    #[arg(long = "label", value_name = "NAME=VALUE")]
    labels: Vec<Pair>,

    /// Allow registries without TLS; not needed for localhost.
    #[arg(long)]
    insecure: bool,

    /// Registry timeout.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
}

pub(super) fn run(args: BuildArgs, invocation: &Invocation) -> Result<()> {
    let place = Place::find(&args.catalog)?;
    let entered = invocation.enter(&place.root, Access::Read)?;
    let catalog = Catalog::read(&entered.view, &place.folder)?;
    let findings = check(&catalog);
    if !findings.is_empty() {
        return Err(report::error(&place.folder, &findings)
            .context("the catalog is invalid, so no image was built"));
    }
    let is_scratch = args.base.0.is_none();
    let is_delivered = args.push || args.output.is_some();
    let request = CatalogRequest {
        root: &place.root,
        files: &catalog.contents(),
        image: args.image,
        platforms: args.platforms,
        base: args.base.0,
        labels: args
            .labels
            .into_iter()
            .map(|pair| (pair.name, pair.value))
            .collect(),
        output: args.output,
        push: args.push,
        insecure: args.insecure,
        patience: Duration::from_secs(args.timeout),
    };
    let recipe = request.recipe()?;
    let push = request.push;
    let what = image::Delivered {
        command: "catalog build",
        image: &request.image,
        push,
    };
    if invocation.dry_run {
        return image::plan(&what, &recipe, invocation);
    }
    let built = request.build(&recipe, &invocation.ui)?;
    image::report(&what, &recipe, &built, invocation)?;
    if invocation.json {
        return Ok(());
    }
    let name = recipe.names[0].as_str();
    let mut next = vec![if is_scratch {
        format!(
            "a CatalogSource needs `image: {name}` and `grpcPodConfig: {}`",
            json!({"extractContent": {"catalogDir": "/configs"}})
        )
    } else {
        format!("a CatalogSource needs `image: {name}`")
    }];
    next.push(format!("a ClusterCatalog needs `ref: {name}`"));
    if !is_delivered {
        next.insert(0, format!("rop catalog build --image {name} --push"));
    }
    invocation.ui.next(&next);
    Ok(())
}
