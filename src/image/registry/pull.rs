use oci_client::RegistryOperation;

use crate::error::{Error, Result};
use crate::image::base::{Base, layer_type};
use crate::image::blob::Blob;
use crate::image::platform::Platform;
use crate::project::name::Image;
use crate::ui::Ui;

use super::{Manner, Registry};

impl Registry {
    /// Pulls an image to build upon.
    ///
    /// # Errors
    /// The registry does not answer, or has no such image.
    pub(in crate::image) fn base(
        image: &Image,
        platform: Platform,
        manner: Manner,
        ui: &Ui,
    ) -> Result<Base> {
        let registry = Self::new(image, Some(platform), manner)?;
        registry
            .pull(image, platform, ui)
            .map_err(|error| error.context(format!("failed to pull the base image `{image}`")))
    }

    fn pull(&self, image: &Image, platform: Platform, ui: &Ui) -> Result<Base> {
        let reference = match (image.tag(), image.digest()) {
            (_, Some(digest)) => self.tagged("latest").clone_with_digest(digest.to_owned()),
            (tag, None) => self.tagged(tag.unwrap_or("latest")),
        };
        self.wait(|| async {
            let operation = RegistryOperation::Pull;
            self.client.auth(&reference, &self.auth, operation).await
        })?;
        let found = self.wait(|| self.client.pull_manifest_and_config(&reference, &self.auth));
        let (manifest, digest, config) = found.map_err(|error| {
            error.hint(format!("check that the image exists, and for {platform}"))
        })?;
        let sizes = manifest
            .layers
            .iter()
            .map(|layer| u64::try_from(layer.size).unwrap_or(0));
        let progress = ui.progress("pull", image.as_str(), Some(sizes.sum()));
        let mut layers = Vec::with_capacity(manifest.layers.len());
        for layer in &manifest.layers {
            let media_type = layer_type(&layer.media_type)?;
            let data = self.wait(|| async {
                let mut data = Vec::new();
                self.client.pull_blob(&reference, layer, &mut data).await?;
                Ok(data)
            })?;
            progress.advance(data.len() as u64);
            let blob = Blob::new(media_type, data);
            if blob.digest() != layer.digest {
                return Err(Error::new(format!(
                    "a layer of `{image}` is not what its manifest says"
                )));
            }
            layers.push(blob);
        }
        Base::new(digest, &config, layers, platform)
    }
}
