use oci_client::Reference;
use oci_client::manifest::ImageIndexEntry;
use oci_spec::image::MediaType;
use serde_json::Value;

use crate::error::{Context, Result};
use crate::image::blob::Blob;
use crate::image::sbom::Bill;

use super::Registry;

impl Registry {
    /// Makes sure that a bill of materials is found. A registry that looks for what refers to an
    /// image finds it by now; for others the specification has a tag.
    pub(super) fn refer(&self, bill: &Bill) -> Result<()> {
        let subject = format!("sha256:{}", bill.subject);
        let (host, repository) = (self.host.clone(), self.repository.clone());
        let reference = Reference::with_digest(host, repository, subject);
        let found = self.wait(|| self.client.pull_referrers(&reference, None))?;
        let digest = bill.manifest.digest();
        if found.manifests.iter().any(|entry| entry.digest == digest) {
            return Ok(());
        }
        let (tag, index) = bill.referrers()?;
        self.name(&with(&index, &found.manifests)?, &tag)
    }
}

/// An index with entries that were there before.
fn with(index: &Blob, others: &[ImageIndexEntry]) -> Result<Blob> {
    let add = || -> serde_json::Result<Value> {
        let mut value: Value = serde_json::from_slice(&index.data)?;
        if let (Some(entries), Value::Array(others)) = (
            value["manifests"].as_array_mut(),
            serde_json::to_value(others)?,
        ) {
            entries.extend(others);
        }
        Ok(value)
    };
    let value = add().context(|| "failed to read the index of what refers to the image")?;
    Blob::json(MediaType::ImageIndex, &value)
}
