use oci_spec::image::MediaType;
use reqwest::Method;
use serde::Deserialize;
use serde_json::Value;

use crate::error::{Code, Context, Result};
use crate::image::blob::Blob;
use crate::image::sbom::Bill;

use super::{Fault, Registry, limits};

/// An index of what refers to an image.
#[derive(Default, Deserialize)]
struct Referrers {
    manifests: Vec<Value>,
}

impl Registry {
    /// Makes sure that a bill of materials is found. A registry that looks for what refers to an
    /// image finds it by now; for others the specification has a tag.
    pub(super) fn refer(&self, bill: &Bill) -> Result<()> {
        let (tag, index) = bill.referrers()?;
        let found = self.wait(|| self.referrers(&bill.subject, &tag))?;
        let digest = bill.manifest.digest();
        if found.iter().any(|entry| entry["digest"] == digest) {
            return Ok(());
        }
        self.name(&with(&index, found)?, &tag)
    }

    /// What refers to an image: as the registry knows it, or else by the tag for it.
    async fn referrers(&self, subject: &str, tag: &str) -> Result<Vec<Value>, Fault> {
        let paths = [
            format!("referrers/sha256:{subject}"),
            format!("manifests/{tag}"),
        ];
        for path in paths {
            match self.read(Method::GET, &path).await {
                Err(Fault::Status { code: 404, .. }) => {}
                Err(fault) => return Err(fault),
                Ok(answer) => {
                    let body = answer.bytes(limits::DOCUMENT).await?;
                    let index: Referrers = serde_json::from_slice(&body)
                        .context(
                            Code::RegistryFailed,
                            || "its response is not an index of referrers",
                        )
                        .map_err(Fault::Broken)?;
                    return Ok(index.manifests);
                }
            }
        }
        Ok(Vec::new())
    }
}

/// An index with entries that were there before.
fn with(index: &Blob, others: Vec<Value>) -> Result<Blob> {
    let mut value: Value = serde_json::from_slice(&index.data).context(
        Code::RegistryFailed,
        || "failed to read the index of referrers",
    )?;
    if let Some(entries) = value["manifests"].as_array_mut() {
        entries.extend(others);
    }
    Blob::json(MediaType::ImageIndex, &value)
}
