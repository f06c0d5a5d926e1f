//! A Helm chart as Helm packs and pushes it.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use oci_spec::image::{ImageManifestBuilder, MediaType, SCHEMA_VERSION};
use serde_json::Value;

use crate::disk::check_target;
use crate::error::{Code, Context, Error, Result};
use crate::project::name::{Image, Tag};
use crate::ui::Ui;

use super::artifact::Artifact;
use super::blob::Blob;
use super::files::{self, File};
use super::layer::Layer;
use super::output::{check_chart, write_file};
use super::platform::Platform;
use super::platform_image::PlatformImage;
use super::registry::{Manner, Registry};

/// The type of what `Chart.yaml` says.
const CONFIG: &str = "application/vnd.cncf.helm.config.v1+json";

/// The type of an archive.
const CONTENT: &str = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";

/// A packed chart.
#[derive(Debug)]
pub struct ChartArchive {
    archive: Blob,
    config: Blob,
}

impl ChartArchive {
    /// Packs a chart: the same files always give the same bytes.
    ///
    /// # Errors
    /// A document cannot be written.
    pub fn new(name: &str, metadata: &Value, content: &BTreeMap<String, Vec<u8>>) -> Result<Self> {
        let content = content
            .iter()
            .map(|(path, data)| (format!("{name}/{path}"), data.clone()));
        let mut all = files::content(&content.collect());
        // Helm packs no folders.
        all.retain(|file: &File| !file.path.ends_with('/'));
        let layer =
            Layer::new(&all).context(Code::GenerationFailed, || "failed to pack the chart")?;
        Ok(Self {
            archive: Blob {
                media_type: MediaType::Other(CONTENT.to_owned()),
                ..layer.blob
            },
            config: Blob::json(MediaType::Other(CONFIG.to_owned()), metadata)?,
        })
    }

    /// Writes the archive to a file below `root`.
    ///
    /// # Errors
    /// The folder leads out of the project, something else than the archive of a chart has the name, or the disk is full.
    pub fn write(&self, root: &Path, path: &str) -> Result<()> {
        let file = root.join(path);
        check_target(root, file.parent().unwrap_or(root))?;
        check_chart(&file).map_err(|error| error.context(format!("failed to write `{path}`")))?;
        write_file(&file, &self.archive.data).unwritable(|| format!("failed to write `{path}`"))
    }

    /// Pushes the chart, and returns its digest.
    ///
    /// # Errors
    /// The registry does not answer, refuses, or does not have the chart afterwards.
    pub fn push(
        &self,
        image: &Image,
        insecure: bool,
        patience: Duration,
        ui: &Ui,
    ) -> Result<String> {
        let manner = Manner {
            insecure,
            patience,
            limit: None,
        };
        let registry = Registry::to_push(image, manner)?;
        registry.greet()?;
        let manifest = ImageManifestBuilder::default()
            .schema_version(SCHEMA_VERSION)
            .media_type(MediaType::ImageManifest)
            .config(self.config.descriptor())
            .layers(vec![self.archive.descriptor()])
            .build()?;
        let chart = PlatformImage {
            platform: Platform::host()?,
            manifest: Blob::json(MediaType::ImageManifest, &manifest)?,
            config: self.config.clone(),
            layers: vec![self.archive.clone()],
        };
        let artifact = Artifact::new(vec![chart], Vec::new())?;
        let tag: Tag = image
            .tag()
            .and_then(|tag| tag.parse().ok())
            .ok_or_else(|| Error::new(Code::InvalidImage, format!("`{image}` has no tag")))?;
        registry.push(&artifact, &[tag], ui)?;
        let digest = artifact.root().digest();
        let found = registry.digest(image)?;
        if found != digest {
            let message = format!("`{image}` leads to `{found}` after a push of `{digest}`");
            return Err(Error::new(Code::RegistryFailed, message)
                .hint("push again, and check that nobody else pushes this version"));
        }
        Ok(digest)
    }
}
