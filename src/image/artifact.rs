//! All that is pushed or written at once: an image for each platform, their index, their bills of
//! materials.

use oci_spec::image::{ImageIndexBuilder, MediaType, SCHEMA_VERSION};

use crate::error::{Error, Result};

use super::blob::Blob;
use super::platform_image::PlatformImage;
use super::sbom::Bill;

/// What `rop build` makes.
#[derive(Debug)]
pub(super) struct Artifact {
    pub(super) images: Vec<PlatformImage>,
    pub(super) index: Option<Blob>,
    pub(super) bills: Vec<Bill>,
}

impl Artifact {
    /// Puts images for several platforms behind one index.
    ///
    /// # Errors
    /// The index cannot be written.
    pub(super) fn new(images: Vec<PlatformImage>, bills: Vec<Bill>) -> Result<Self> {
        let index = match &images[..] {
            [_] => None,
            several => Some(index(several)?),
        };
        Ok(Self {
            images,
            index,
            bills,
        })
    }

    /// What tags name: the index of several images, or the manifest of the one.
    pub(super) fn root(&self) -> &Blob {
        self.index.as_ref().unwrap_or(&self.images[0].manifest)
    }

    /// What manifests name.
    pub(super) fn blobs(&self) -> impl Iterator<Item = &Blob> {
        let images = self.images.iter().flat_map(PlatformImage::blobs);
        images.chain(self.bills.iter().flat_map(Bill::blobs))
    }

    /// The manifests that no tag names.
    pub(super) fn children(&self) -> impl Iterator<Item = &Blob> {
        let below = self
            .index
            .iter()
            .flat_map(|_| &self.images)
            .map(|image| &image.manifest);
        below.chain(self.bills.iter().map(|bill| &bill.manifest))
    }

    /// What has to be sent and kept, in bytes.
    pub(super) fn size(&self) -> u64 {
        self.blobs().map(Blob::size).sum()
    }
}

fn index(images: &[PlatformImage]) -> Result<Blob> {
    let manifests: Result<Vec<_>> = images
        .iter()
        .map(|image| {
            let descriptor = image
                .manifest
                .describe()
                .platform(image.platform.descriptor());
            descriptor.build().map_err(Error::from)
        })
        .collect();
    let index = ImageIndexBuilder::default()
        .schema_version(SCHEMA_VERSION)
        .media_type(MediaType::ImageIndex)
        .manifests(manifests?)
        .build()?;
    Blob::json(MediaType::ImageIndex, &index)
}
