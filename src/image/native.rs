//! Images that rop builds itself.

use std::collections::BTreeMap;

use crate::cargo::Toolchain;
use crate::error::{Code, Context, Error, Result};
use crate::project::name::{Image, Tag};
use crate::ui::Ui;

use super::artifact::Artifact;
use super::base::Base;
use super::files;
use super::layer::Layer;
use super::output;
use super::platform::Platform;
use super::platform_image::{About, PlatformImage, Start};
use super::program::{Compiled, Program};
use super::provenance::Provenance;
use super::registry::{NO_REGISTRY, Registry};
use super::sbom::Bill;
use super::{Built, Recipe, Request};

/// Builds an image for each platform, writes it and pushes it. What can be known to fail fails
/// before the operator is compiled, which takes its time.
pub(super) fn build(
    request: &Request<'_>,
    recipe: &Recipe,
    provenance: &Provenance,
    labels: BTreeMap<String, String>,
    ui: &Ui,
) -> Result<Built> {
    let program = Program {
        root: request.root,
        name: request.operator,
        intermediate: &provenance.intermediate,
        toolchain: Toolchain::find(request.root)?,
        quiet: ui.hides_progress(),
    };
    let platforms = match &request.platforms[..] {
        [] => vec![Platform::host()?],
        platforms => platforms.to_vec(),
    };
    for platform in &platforms {
        program.triple(*platform)?;
    }
    let registry = if request.push {
        Some(Registry::to_push(&request.image, request.manner())?)
    } else {
        None
    };
    if let Some(registry) = &registry {
        registry.greet().map_err(without_network)?;
    }
    let bases: Vec<Option<Base>> = platforms
        .iter()
        .map(|platform| match &request.base {
            Some(image) => Registry::base(image, *platform, request.manner(), ui).map(Some),
            None => Ok(None),
        })
        .collect::<Result<_>>()
        .map_err(without_network)?;
    let (mut images, mut bills, mut unpacked) = (Vec::new(), Vec::new(), 0);
    for (platform, base) in platforms.into_iter().zip(bases) {
        ui.building(&format!("the operator for {platform}"));
        let Compiled { data, triple } = program.compile(platform)?;
        let files = match base {
            Some(_) => files::program(data),
            None => files::whole(data),
        };
        let progress = ui.progress("packing", &format!("the image for {platform}"), None);
        let layer = Layer::new(&files).context(Code::GenerationFailed, || {
            "failed to create the \
                operator's layer"
        })?;
        drop(progress);
        unpacked += layer.unpacked;
        let about = about(request, provenance, &labels, base.as_ref());
        let image = PlatformImage::new(platform, base.as_ref(), layer, &about)?;
        if request.sbom {
            let (root, name) = (request.root, request.operator);
            bills.push(Bill::new(root, name, &triple, &image, &about.created)?);
        }
        images.push(image);
    }
    let artifact = Artifact::new(images, bills)?;
    deliver(&artifact, recipe, registry.as_ref(), ui)?;
    Ok(Built {
        digest: Some(artifact.root().digest()),
        sizes: Some((artifact.size(), unpacked)),
    })
}

/// Adds the way out if there may be no network.
fn without_network(error: Error) -> Error {
    if error.hints().iter().any(|hint| hint == NO_REGISTRY) {
        error.hint(
            "without a network, build a file without a base image: `--base scratch --output oci-archive:FILE`",
        )
    } else {
        error
    }
}

/// Writes and pushes an image as the recipe says.
pub(super) fn deliver(
    artifact: &Artifact,
    recipe: &Recipe,
    registry: Option<&Registry>,
    ui: &Ui,
) -> Result<()> {
    if let Some(output) = &recipe.output {
        output::write(output, artifact, &recipe.names)?;
        ui.done("write", &output.to_string());
    }
    if let Some(registry) = registry {
        let tags: Vec<Tag> = recipe
            .names
            .iter()
            .filter_map(|name| name.tag()?.parse().ok())
            .collect();
        let pushed = registry.push(artifact, &tags, ui)?;
        for name in &recipe.names {
            ui.done("push", &format!("{name} ({})", pushed.summary()));
        }
    }
    Ok(())
}

/// Adds the labels that name a base.
pub(super) fn name_base(
    labels: &mut BTreeMap<String, String>,
    base: Option<&Base>,
    image: Option<&Image>,
) {
    if let (Some(base), Some(image)) = (base, image) {
        let under = "org.opencontainers.image.base";
        labels.insert(format!("{under}.name"), image.to_string());
        labels.insert(format!("{under}.digest"), base.digest.clone());
    }
}

fn about(
    request: &Request<'_>,
    provenance: &Provenance,
    labels: &BTreeMap<String, String>,
    base: Option<&Base>,
) -> About {
    let mut labels = labels.clone();
    name_base(&mut labels, base, request.base.as_ref());
    About {
        created: provenance.created(),
        labels,
        start: Start::Operator,
        content: "the operator and what it needs",
    }
}
