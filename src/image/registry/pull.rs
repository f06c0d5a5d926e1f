use crate::error::{Code, Context, Error, Result};
use crate::image::base::{Base, layer_type};
use crate::image::blob::Blob;
use crate::image::platform::Platform;
use crate::project::name::Image;
use crate::ui::{Progress, Ui};

use super::manifest::{Descriptor, Manifest};
use super::push::mega;
use super::{Manner, Registry, limits};

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
        let registry = Self::to_pull(image, manner)?;
        registry
            .pull(image, platform, ui)
            .map_err(|error| error.context(format!("failed to pull the base image `{image}`")))
    }

    /// Pulls the configuration and the layers of an image, these of so many bytes at most.
    ///
    /// # Errors
    /// The registry does not answer, has no such image, or the image is larger.
    pub(in crate::image) fn whole(
        image: &Image,
        platform: Platform,
        manner: Manner,
        most: u64,
        ui: &Ui,
    ) -> Result<(Vec<u8>, Vec<Blob>)> {
        let registry = Self::to_pull(image, manner)?;
        let name = image.digest().or(image.tag()).unwrap_or("latest");
        let (manifest, _) = registry.wait(|| registry.manifest(name, platform))?;
        let mut sizes = manifest.layers.iter().map(|layer| layer.size);
        let size = sizes
            .try_fold(0, u64::checked_add)
            .filter(|size| *size <= most && manifest.layers.len() <= limits::LAYER_COUNT);
        let Some(size) = size else {
            return Err(Error::new(
                Code::InvalidBundle,
                format!("the image has more than {} in its layers", mega(most)),
            )
            .hint("check that it is the image of a bundle, not the operator's"));
        };
        for layer in &manifest.layers {
            layer_type(&layer.media_type).map_err(|error| error.with_code(Code::InvalidBundle))?;
        }
        if manifest.config.size > limits::DOCUMENT {
            let limit = mega(limits::DOCUMENT);
            let message = format!("the image has a configuration of more than {limit}");
            return Err(Error::new(Code::InvalidBundle, message));
        }
        let config = registry.wait(|| registry.blob(&manifest.config, |_| {}))?;
        let progress = ui.progress("pull", image.as_str(), Some(size));
        let layers = manifest
            .layers
            .iter()
            .map(|layer| registry.layer(layer, &progress));
        Ok((config, layers.collect::<Result<_>>()?))
    }

    fn pull(&self, image: &Image, platform: Platform, ui: &Ui) -> Result<Base> {
        let name = image.digest().or(image.tag()).unwrap_or("latest");
        let (manifest, digest) = self.wait(|| self.manifest(name, platform))?;
        let size = size(&manifest)?;
        let bytes = self.wait(|| self.blob(&manifest.config, |_| {}))?;
        let config = String::from_utf8(bytes).context(
            Code::UnusableBaseImage,
            || "the configuration of the base image is not UTF-8",
        )?;
        let progress = ui.progress("pull", image.as_str(), Some(size));
        let layers = manifest
            .layers
            .iter()
            .map(|layer| self.layer(layer, &progress))
            .collect::<Result<_>>()?;
        Base::new(digest, &config, layers, platform)
    }

    fn layer(&self, layer: &Descriptor, progress: &Progress) -> Result<Blob> {
        let media_type = layer_type(&layer.media_type)?;
        let before = progress.position();
        let data = self.wait(|| {
            // What an attempt that failed had counted does not count.
            progress.back_to(before);
            self.blob(layer, |bytes| progress.advance(bytes))
        })?;
        Ok(Blob::new(media_type, data))
    }
}

/// The size of the layers together, where rop takes so much.
fn size(manifest: &Manifest) -> Result<u64> {
    let too_large = |what: String| {
        Err(Error::new(
            Code::UnusableBaseImage,
            format!("the base image has {what}"),
        )
        .hint("use a smaller base image, or build with an engine: `--engine docker`"))
    };
    if manifest.config.size > limits::DOCUMENT {
        let size = mega(manifest.config.size);
        let most = mega(limits::DOCUMENT);
        return too_large(format!("a configuration of {size}; the limit is {most}"));
    }
    let count = manifest.layers.len();
    if count > limits::LAYER_COUNT {
        let most = limits::LAYER_COUNT;
        return too_large(format!("{count} layers; the limit is {most}"));
    }
    let mut sizes = manifest.layers.iter().map(|layer| layer.size);
    let sum = sizes.try_fold(0, u64::checked_add);
    match sum.filter(|sum| *sum <= limits::LAYERS) {
        Some(sum) => Ok(sum),
        None => too_large(format!(
            "layers of {}; the limit is {}",
            mega(sum.unwrap_or(u64::MAX)),
            mega(limits::LAYERS)
        )),
    }
}
