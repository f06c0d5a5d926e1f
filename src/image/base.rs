//! The image that the operator's layer is laid over.

use oci_spec::image::{ImageConfiguration, MediaType};

use crate::error::{Code, Context, Error, Result};

use super::blob::Blob;
use super::platform::Platform;

/// What a base gives to the image.
#[derive(Clone, Debug)]
pub(super) struct Base {
    /// The digest of its manifest.
    pub(super) digest: String,
    pub(super) config: ImageConfiguration,
    pub(super) layers: Vec<Blob>,
}

impl Base {
    /// Reads the configuration of a base for a platform.
    ///
    /// # Errors
    /// It cannot be read, or it is of another platform.
    pub(super) fn new(
        digest: String,
        config: &str,
        layers: Vec<Blob>,
        platform: Platform,
    ) -> Result<Self> {
        let config: ImageConfiguration = serde_json::from_str(config).context(
            Code::UnusableBaseImage,
            || "failed to read the configuration of the base image",
        )?;
        if *config.architecture() != platform.architecture() {
            let (is, expected) = (config.architecture(), platform.architecture());
            return Err(Error::new(
                Code::UnusableBaseImage,
                format!("the base image is for {is}, not {expected}"),
            )
            .hint("use a base image for that platform, or `--base scratch`"));
        }
        if config.rootfs().diff_ids().len() != layers.len() {
            return Err(Error::new(
                Code::UnusableBaseImage,
                "the configuration of the base image lists different layers than its manifest",
            ));
        }
        Ok(Self {
            digest,
            config,
            layers,
        })
    }
}

/// The type of a layer in an OCI image, for one in an image of whatever sort.
///
/// # Errors
/// It is no layer that registries hand out.
pub(super) fn layer_type(media_type: &str) -> Result<MediaType> {
    match media_type {
        "application/vnd.docker.image.rootfs.diff.tar.gzip"
        | "application/vnd.oci.image.layer.v1.tar+gzip" => Ok(MediaType::ImageLayerGzip),
        "application/vnd.docker.image.rootfs.diff.tar"
        | "application/vnd.oci.image.layer.v1.tar" => Ok(MediaType::ImageLayer),
        "application/vnd.docker.image.rootfs.diff.tar.zstd"
        | "application/vnd.oci.image.layer.v1.tar+zstd" => Ok(MediaType::ImageLayerZstd),
        other => Err(Error::new(
            Code::UnusableBaseImage,
            format!("the image has a layer of unsupported type `{other}`"),
        )
        .hint("use an image with tar layers, as container engines build them")),
    }
}
