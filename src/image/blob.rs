//! What images are made of: bytes that are known by their digest.

use bytes::Bytes;
use oci_spec::OciSpecError;
use oci_spec::image::{Descriptor, DescriptorBuilder, MediaType, Sha256Digest};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::str::FromStr;

use crate::error::{Code, Context, Error, Result};
use crate::hex::hex;

/// A description of an image that lacks something is a fault of rop.
impl From<OciSpecError> for Error {
    fn from(error: OciSpecError) -> Self {
        Self::new(Code::GenerationFailed, error)
    }
}

/// A part of an image, as registries keep it.
#[derive(Clone, Debug)]
pub(super) struct Blob {
    pub(super) media_type: MediaType,
    /// 64 digits, without the `sha256:`.
    pub(super) hex: String,
    pub(super) data: Bytes,
}

impl Blob {
    pub(super) fn new(media_type: MediaType, data: impl Into<Bytes>) -> Self {
        let data = data.into();
        Self {
            media_type,
            hex: sha256(&data),
            data,
        }
    }

    /// A document whose fields stand in the order of their names, so that the same content always
    /// has the same digest.
    pub(super) fn json(media_type: MediaType, document: &impl Serialize) -> Result<Self> {
        let write = || -> serde_json::Result<Vec<u8>> {
            let mut value = serde_json::to_value(document)?;
            value.sort_all_objects();
            serde_json::to_vec(&value)
        };
        let data = write().context(Code::GenerationFailed, || {
            format!("failed to write {media_type}")
        })?;
        Ok(Self::new(media_type, data))
    }

    /// Its name in registries and in documents.
    pub(super) fn digest(&self) -> String {
        format!("sha256:{}", self.hex)
    }

    /// What documents say of it.
    pub(super) fn descriptor(&self) -> Descriptor {
        self.describe()
            .build()
            .expect("a media type, a digest and a size")
    }

    /// As [`Blob::descriptor`], for more to be said.
    pub(super) fn describe(&self) -> DescriptorBuilder {
        DescriptorBuilder::default()
            .media_type(self.media_type.clone())
            .digest(Sha256Digest::from_str(&self.hex).expect("64 digits"))
            .size(self.size())
    }

    pub(super) fn size(&self) -> u64 {
        self.data.len() as u64
    }
}

/// The digest of some bytes as 64 digits.
pub(super) fn sha256(data: &[u8]) -> String {
    hex(&Sha256::digest(data))
}
