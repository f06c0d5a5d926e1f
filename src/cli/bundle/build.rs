use std::collections::BTreeMap;

use clap::Args;

use super::written::validate_written;
use crate::cli::args::bundle_directory::BundleDirectory;
use crate::cli::args::delivery::DeliveryArgs;
use crate::cli::args::place::Place;
use crate::cli::args::value::Pair;
use crate::cli::catalog;
use crate::cli::invocation::{Access, Invocation};
use crate::cli::report::image;
use crate::error::{Code, Error, Result};
use crate::image::Content;
use crate::olm::bundle::{Label, dockerfile, labels};
use crate::olm::read::{Contents, Directory};
use crate::project::name::Image;
use crate::shell_word::shell_word;

const EXAMPLES: &str = "\
Examples:
  rop bundle build --image registry.example.com/app-operator-bundle:v0.1.0 --push
  rop bundle build --image app-operator-bundle:v0.1.0 --output oci-archive:bundle.tar";

/// Validate a bundle directory and build its image.
///
/// The image has `manifests/`, `metadata/` and `tests/`, and as labels the annotations of the bundle and what
/// `bundle.Dockerfile` adds. The same files give the same digest. Without `--push` or `--output`, the image is saved in a
/// file under `target/`. No container engine is needed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct BuildArgs {
    #[command(flatten)]
    bundle: BundleDirectory,

    /// Image of the bundle, as REGISTRY/REPOSITORY[:TAG].
    #[arg(long, value_name = "REF")]
    #[allow(rustdoc::broken_intra_doc_links, reason = "the help shows it as it is")]
    image: Image,

    #[command(flatten)]
    delivery: DeliveryArgs,
}

pub(super) fn run(args: BuildArgs, invocation: &Invocation) -> Result<()> {
    let folder = args.bundle.directory()?;
    let place = Place::find(&folder)?;
    let entered = invocation.enter(&place.root, Access::Read)?;
    validate_written(&entered.view, &place.folder, &folder, invocation)
        .map_err(|error| error.context("the bundle is invalid, so no image was built"))?;
    let bundle = Contents::read(&Directory::new(&place.root.join(&place.folder)))?;
    let package = bundle.package().to_owned();
    let mut delivery = args.delivery;
    let text = entered.view.read_own(&dockerfile(&place.folder))?;
    let own = own_labels(
        &place.folder,
        &text.unwrap_or_default(),
        &bundle.annotations,
        &delivery,
    );
    delivery.labels.extend(own?);
    let content = Content::bundle(bundle.files, bundle.annotations);
    let has_destination = delivery.has_destination();
    let request = delivery.request(&place.root, args.image, None, content);
    let Some(name) = image::deliver("bundle build", &request, invocation)? else {
        return Ok(());
    };
    let folder = shell_word(&folder.to_string_lossy());
    let push =
        (!has_destination).then(|| format!("rop bundle build {folder} --image {name} --push"));
    let addition = catalog::addition(&package, &folder, &name)?;
    invocation
        .ui
        .next(&push.into_iter().chain(addition).collect::<Vec<_>>());
    Ok(())
}

/// The labels that only the Dockerfile of the bundle has.
fn own_labels(
    folder: &str,
    text: &str,
    annotations: &BTreeMap<String, String>,
    delivery: &DeliveryArgs,
) -> Result<Vec<Pair>> {
    let is_set = |name: &String| {
        annotations.contains_key(name) || delivery.labels.iter().any(|label| label.name == *name)
    };
    let labels = labels(text).into_iter();
    let own = labels.filter(|label| !is_set(&label.name));
    own.map(|Label { line, name, value }| {
        let Some(value) = value else {
            let file = dockerfile(folder);
            let message = format!("the label `{name}` in `{file}:{line}` uses a variable");
            let hint = format!(
                "write its value, or pass `--label {}`",
                shell_word(&format!("{name}=VALUE"))
            );
            return Err(Error::new(Code::Unsupported, message).hint(hint));
        };
        Ok(Pair { name, value })
    })
    .collect()
}
