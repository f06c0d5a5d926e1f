//! The files of an OCI image layout, and the one that makes `docker load` take it too.

use serde_json::{Value, json};

use crate::error::{Code, Context, Result};
use crate::image::artifact::Artifact;
use crate::image::blob::Blob;
use crate::project::name::Image;

const MARK: &[u8] = br#"{"imageLayoutVersion":"1.0.0"}"#;
const REF_NAME: &str = "org.opencontainers.image.ref.name";

/// A layout in memory.
pub(super) struct Layout<'a> {
    artifact: &'a Artifact,
    entries: Vec<Value>,
    index: Vec<u8>,
    /// Docker's own index, which knows one platform.
    docker: Option<Vec<u8>>,
}

impl<'a> Layout<'a> {
    pub(super) fn new(artifact: &'a Artifact, names: &[Image]) -> Result<Self> {
        let write = || -> serde_json::Result<Self> {
            let mut entries = Vec::new();
            for name in names {
                let mut entry = serde_json::to_value(artifact.root().descriptor())?;
                // Podman and containerd name the image by these, skopeo finds it by the first.
                entry["annotations"] = json!({
                    REF_NAME: name.as_str(),
                    "io.containerd.image.name": full(name),
                });
                entries.push(entry);
            }
            for bill in &artifact.bills {
                let mut entry = serde_json::to_value(bill.manifest.descriptor())?;
                entry["artifactType"] = bill.document.media_type.to_string().into();
                entries.push(entry);
            }
            Ok(Self {
                artifact,
                index: index(&entries)?,
                docker: docker(artifact, names)?,
                entries,
            })
        };
        write().context(
            Code::GenerationFailed,
            || "failed to write the index of the image",
        )
    }

    /// The paths and contents, blobs first.
    pub(super) fn files(&self) -> impl Iterator<Item = (String, &[u8])> {
        let manifests = self.artifact.children().chain([self.artifact.root()]);
        let mut blobs: Vec<&Blob> = self.artifact.blobs().chain(manifests).collect();
        blobs.sort_by_key(|blob| &blob.hex);
        blobs.dedup_by_key(|blob| &blob.hex);
        let blobs = blobs
            .into_iter()
            .map(|blob| (format!("blobs/sha256/{}", blob.hex), &*blob.data));
        let docker = self
            .docker
            .iter()
            .map(|data| ("manifest.json".to_owned(), &**data));
        blobs
            .chain([("oci-layout".to_owned(), MARK)])
            .chain([("index.json".to_owned(), &*self.index)])
            .chain(docker)
    }

    /// The index, with what another one names and this one does not.
    pub(super) fn merged(&self, before: Option<&[u8]>) -> Result<Vec<u8>> {
        let merge = || -> serde_json::Result<Vec<u8>> {
            let Some(before) = before else {
                return Ok(self.index.clone());
            };
            let before: Value = serde_json::from_slice(before)?;
            let named = |entry: &Value| entry["annotations"][REF_NAME].clone();
            let replaced = |entry: &&Value| {
                self.entries.iter().any(|new| {
                    new["digest"] == entry["digest"] && named(new) == named(entry)
                        || named(new).is_string() && named(new) == named(entry)
                })
            };
            let others = before["manifests"]
                .as_array()
                .into_iter()
                .flatten()
                .filter(|entry| !replaced(entry))
                .cloned();
            let entries: Vec<_> = others.chain(self.entries.iter().cloned()).collect();
            index(&entries)
        };
        merge().context(
            Code::NotAnImageLayout,
            || "failed to read the existing index",
        )
    }
}

fn index(entries: &[Value]) -> serde_json::Result<Vec<u8>> {
    let mut index = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": entries,
    });
    index.sort_all_objects();
    serde_json::to_vec(&index)
}

fn docker(artifact: &Artifact, names: &[Image]) -> serde_json::Result<Option<Vec<u8>>> {
    let [image] = &artifact.images[..] else {
        return Ok(None);
    };
    let path = |blob: &Blob| format!("blobs/sha256/{}", blob.hex);
    let index = json!([{
        "Config": path(&image.config),
        "RepoTags": names.iter().map(Image::as_str).collect::<Vec<_>>(),
        "Layers": image.layers.iter().map(path).collect::<Vec<_>>(),
    }]);
    serde_json::to_vec(&index).map(Some)
}

/// The name with all that short ones leave out.
fn full(name: &Image) -> String {
    let tag = name.tag().unwrap_or("latest");
    format!("{}/{}:{tag}", name.registry(), name.repository())
}
