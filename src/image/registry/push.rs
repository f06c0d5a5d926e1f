use std::collections::BTreeSet;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream;
use oci_client::errors::OciDistributionError;

use crate::error::Result;
use crate::image::artifact::Artifact;
use crate::image::blob::Blob;
use crate::project::name::Tag;
use crate::ui::{Progress, Ui};

use super::Registry;

/// How much of a blob is handed to the network at once, and counted.
const PIECE: usize = 64 * 1024;

/// What a push came to.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::image) struct Pushed {
    pub(in crate::image) sent: u64,
    /// What the registry had already.
    pub(in crate::image) skipped: u64,
}

impl Pushed {
    /// How much went over the network, for a person.
    pub(in crate::image) fn summary(&self) -> String {
        let (sent, skipped) = (mega(self.sent), mega(self.skipped));
        match (self.sent, self.skipped) {
            (_, 0) => format!("{sent} sent"),
            (0, _) => format!("nothing sent, {skipped} already there"),
            _ => format!("{sent} sent, {skipped} already there"),
        }
    }
}

/// A size for a person.
pub(in crate::image) fn mega(bytes: u64) -> String {
    format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10)
}

impl Registry {
    /// Pushes what has to be there before anything names it: blobs, manifests, and tags at the very
    /// end. So whatever fails, no tag leads to half an image.
    ///
    /// # Errors
    /// The registry does not answer, or refuses.
    pub(in crate::image) fn push(
        &self,
        artifact: &Artifact,
        tags: &[Tag],
        ui: &Ui,
    ) -> Result<Pushed> {
        let what = format!("to {}/{}", self.host, self.repository);
        let progress = Arc::new(ui.progress("push", &what, Some(artifact.size())));
        let mut pushed = Pushed::default();
        let mut seen = BTreeSet::new();
        for blob in artifact.blobs().filter(|blob| seen.insert(&blob.hex)) {
            if self.has(blob)? {
                progress.advance(blob.size());
                pushed.skipped += blob.size();
            } else {
                self.send(blob, &progress)?;
                pushed.sent += blob.size();
            }
        }
        for manifest in artifact.children() {
            self.name(manifest, &manifest.digest())?;
        }
        for tag in tags {
            self.name(artifact.root(), tag.as_str())?;
        }
        for bill in &artifact.bills {
            self.refer(bill)?;
        }
        Ok(pushed)
    }

    /// Whether the registry has a blob. One that does not say so may still take it: some know no
    /// repository before its first push.
    fn has(&self, blob: &Blob) -> Result<bool> {
        let (reference, digest) = (self.tagged("latest"), blob.digest());
        self.wait(|| async {
            match self.client.blob_exists(&reference, &digest).await {
                Err(OciDistributionError::RequestError(error)) if error.is_status() => Ok(false),
                answer => answer,
            }
        })
    }

    fn send(&self, blob: &Blob, progress: &Arc<Progress>) -> Result<()> {
        let (reference, digest) = (self.tagged("latest"), blob.digest());
        let before = progress.position();
        self.wait(|| async {
            // What an attempt that failed had counted does not count.
            progress.back_to(before);
            let (data, progress) = (blob.data.clone(), Arc::clone(progress));
            let pieces = (0..data.len()).step_by(PIECE).map(move |start| {
                let piece = data.slice(start..data.len().min(start + PIECE));
                progress.advance(piece.len() as u64);
                Ok::<Bytes, OciDistributionError>(piece)
            });
            let (pieces, size) = (stream::iter(pieces), Some(blob.size()));
            self.client
                .push_blob_stream(&reference, pieces, &digest, size)
                .await
        })
        .map(drop)
    }

    /// Pushes a manifest under a tag, or under its own digest.
    pub(super) fn name(&self, manifest: &Blob, name: &str) -> Result<()> {
        let reference = self.tagged(name);
        self.wait(|| async {
            let media_type = manifest.media_type.to_string().parse().expect("a header");
            let data = manifest.data.clone();
            self.client
                .push_manifest_raw(&reference, data, media_type)
                .await
        })
        .map(drop)
    }
}
