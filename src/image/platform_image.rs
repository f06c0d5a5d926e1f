//! An image for one platform: layers, configuration and manifest.

use std::collections::{BTreeMap, HashMap};

use oci_spec::image::{
    History, HistoryBuilder, ImageConfiguration, ImageManifestBuilder, MediaType, Os,
    RootFsBuilder, SCHEMA_VERSION,
};

use crate::error::{Error, Result};

use super::base::Base;
use super::blob::Blob;
use super::files::{CONFIGS, PROGRAM, USER};
use super::layer::Layer;
use super::platform::Platform;

/// An image for one platform.
#[derive(Clone, Debug)]
pub(super) struct PlatformImage {
    pub(super) platform: Platform,
    pub(super) manifest: Blob,
    pub(super) config: Blob,
    pub(super) layers: Vec<Blob>,
}

/// What an image says of itself.
pub(super) struct About {
    /// When it was made, as documents write it.
    pub(super) created: String,
    pub(super) labels: BTreeMap<String, String>,
    pub(super) start: Start,
    /// What the layer holds.
    pub(super) content: &'static str,
}

/// What a container of the image runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// The operator.
    Operator,
    /// The server of a catalog in the base: opm.
    CatalogServer,
    /// Nothing: others take the files out of it.
    Nothing,
}

impl PlatformImage {
    /// Lays the operator's layer over a base, or over nothing.
    ///
    /// # Errors
    /// A document cannot be written.
    pub(super) fn new(
        platform: Platform,
        base: Option<&Base>,
        layer: Layer,
        about: &About,
    ) -> Result<Self> {
        let (under, mut layers) = match base {
            Some(base) => (base.config.clone(), base.layers.clone()),
            None => (ImageConfiguration::default(), Vec::new()),
        };
        layers.push(layer.blob);
        let content = configuration(platform, under, layer.diff_id, about)?;
        let config = Blob::json(MediaType::ImageConfig, &content)?;
        let manifest = ImageManifestBuilder::default()
            .schema_version(SCHEMA_VERSION)
            .media_type(MediaType::ImageManifest)
            .config(config.descriptor())
            .layers(layers.iter().map(Blob::descriptor).collect::<Vec<_>>())
            .annotations(about.labels.clone().into_iter().collect::<HashMap<_, _>>())
            .build()?;
        Ok(Self {
            platform,
            manifest: Blob::json(MediaType::ImageManifest, &manifest)?,
            config,
            layers,
        })
    }

    /// What the manifest names, the smallest last.
    pub(super) fn blobs(&self) -> impl Iterator<Item = &Blob> {
        self.layers.iter().chain([&self.config])
    }
}

/// How a container of the image starts, and how the image came to be.
fn configuration(
    platform: Platform,
    mut config: ImageConfiguration,
    diff_id: String,
    about: &About,
) -> Result<ImageConfiguration> {
    let mut run = config.config().clone().unwrap_or_default();
    let mut labels = run.labels().clone().unwrap_or_default();
    labels.extend(about.labels.clone());
    run.set_labels(Some(labels));
    match about.start {
        Start::Operator => {
            run.set_user(Some(USER.into()))
                .set_entrypoint(Some(vec![PROGRAM.into()]))
                .set_cmd(None);
            if run.env().is_none() {
                run.set_env(Some(vec!["PATH=/".into()]));
            }
            if run.working_dir().is_none() {
                run.set_working_dir(Some("/".into()));
            }
        }
        Start::CatalogServer => {
            run.set_entrypoint(Some(vec!["/bin/opm".into()]))
                .set_cmd(Some(vec!["serve".into(), CONFIGS.into()]));
        }
        Start::Nothing => {}
    }
    let mut diff_ids = config.rootfs().diff_ids().clone();
    diff_ids.push(diff_id);
    let root = RootFsBuilder::default().typ("layers").diff_ids(diff_ids);
    let mut history = config.history().clone().unwrap_or_default();
    history.push(step(about)?);
    config
        .set_created(Some(about.created.clone()))
        .set_architecture(platform.architecture())
        .set_variant(platform.variant().map(str::to_owned))
        .set_os(Os::Linux)
        .set_config(Some(run))
        .set_rootfs(root.build()?)
        .set_history(Some(history));
    Ok(config)
}

fn step(about: &About) -> Result<History> {
    let version = env!("CARGO_PKG_VERSION");
    HistoryBuilder::default()
        .created(about.created.clone())
        .created_by(format!("rop {version}: {}", about.content))
        .build()
        .map_err(Error::from)
}
