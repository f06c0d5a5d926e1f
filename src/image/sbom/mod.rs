//! The bill of materials of an image: every crate that went into the operator, as SPDX.

mod document;
mod linked;

use std::path::Path;

use oci_spec::image::{ImageIndexBuilder, ImageManifestBuilder, MediaType, SCHEMA_VERSION};
use serde_json::Value;

use crate::cargo::metadata;
use crate::error::Result;

use super::blob::Blob;
use super::platform_image::PlatformImage;
use document::document;

/// The type of such a document, for registries.
const SPDX: &str = "application/spdx+json";

/// A bill of materials that refers to the image that it is of.
#[derive(Debug)]
pub(super) struct Bill {
    pub(super) manifest: Blob,
    /// The digest of the image's manifest.
    pub(super) subject: String,
    config: Blob,
    pub(super) document: Blob,
}

impl Bill {
    /// Lists what the operator is made of for a target of Rust.
    ///
    /// # Errors
    /// Cargo does not say.
    pub(super) fn new(
        root: &Path,
        package: &str,
        triple: &str,
        image: &PlatformImage,
        created: &str,
    ) -> Result<Self> {
        let metadata = metadata(root, &["--locked", "--filter-platform", triple])?;
        let content = document(&metadata, package, image, created);
        let document = Blob::json(MediaType::Other(SPDX.into()), &content)?;
        let config = Blob::new(MediaType::EmptyJSON, &b"{}"[..]);
        let manifest = ImageManifestBuilder::default()
            .schema_version(SCHEMA_VERSION)
            .media_type(MediaType::ImageManifest)
            .artifact_type(MediaType::Other(SPDX.into()))
            .config(config.descriptor())
            .layers([document.descriptor()])
            .subject(image.manifest.descriptor())
            .build()?;
        Ok(Self {
            manifest: Blob::json(MediaType::ImageManifest, &manifest)?,
            subject: image.manifest.hex.clone(),
            config,
            document,
        })
    }

    /// What the manifest names.
    pub(super) fn blobs(&self) -> impl Iterator<Item = &Blob> {
        [&self.document, &self.config].into_iter()
    }

    /// The tag and the index by which it is found in registries that do not look for what refers
    /// to an image.
    ///
    /// # Errors
    /// The index cannot be written.
    pub(super) fn referrers(&self) -> Result<(String, Blob)> {
        let descriptor = self
            .manifest
            .describe()
            .artifact_type(MediaType::Other(SPDX.into()));
        let index = ImageIndexBuilder::default()
            .schema_version(SCHEMA_VERSION)
            .media_type(MediaType::ImageIndex)
            .manifests([descriptor.build()?])
            .build()?;
        let tag = format!("sha256-{}", self.subject);
        Ok((tag, Blob::json(MediaType::ImageIndex, &index)?))
    }
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
