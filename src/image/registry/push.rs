use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream;
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, LOCATION};
use reqwest::{Body, Method, Url};

use crate::error::{Code, Error, Result};
use crate::image::artifact::Artifact;
use crate::image::blob::Blob;
use crate::project::name::Tag;
use crate::ui::{Progress, Ui};

use super::endpoint::Endpoint;
use super::exchange::{success, taken};
use super::{Fault, Registry};

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
            (0, _) => format!("nothing sent, {skipped} already exist"),
            _ => format!("{sent} sent, {skipped} already exist"),
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
        let Endpoint {
            host, repository, ..
        } = &self.endpoint;
        let what = format!("to {host}/{repository}");
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
        let path = format!("blobs/{}", blob.digest());
        self.wait(|| async {
            match self.read(Method::HEAD, &path).await {
                Ok(_) => Ok(true),
                Err(Fault::Status { .. } | Fault::Elsewhere { .. }) => Ok(false),
                Err(fault) => Err(fault),
            }
        })
    }

    fn send(&self, blob: &Blob, progress: &Arc<Progress>) -> Result<()> {
        let before = progress.position();
        self.wait(|| async {
            // What an attempt that failed had counted does not count.
            progress.back_to(before);
            let place = self.begin().await?;
            self.upload(blob, place, Arc::clone(progress)).await
        })
    }

    /// Asks where a blob is to be sent.
    async fn begin(&self) -> Result<Url, Fault> {
        let url = self.endpoint.url("blobs/uploads/");
        let request = self.request(Method::POST, url).await?;
        let answer = self.client.send(request.header(CONTENT_LENGTH, 0)).await?;
        let answer = success(answer).await?;
        let location = answer
            .headers()
            .get(LOCATION)
            .and_then(|location| location.to_str().ok());
        let Some(location) = location else {
            let error = Error::new(Code::RegistryFailed, "it returned no upload location");
            return Err(Fault::Broken(error));
        };
        let place = answer
            .url()
            .join(location)
            .ok()
            .filter(|place| self.endpoint.may_lead_to(place));
        place.ok_or_else(|| {
            let error = format!("its upload location `{location}` has no TLS");
            Fault::Broken(Error::new(Code::RegistryFailed, error))
        })
    }

    async fn upload(
        &self,
        blob: &Blob,
        mut place: Url,
        progress: Arc<Progress>,
    ) -> Result<(), Fault> {
        place
            .query_pairs_mut()
            .append_pair("digest", &blob.digest());
        let (pace, data) = (self.client.pace(), blob.data.clone());
        let sent = pace.clone();
        let pieces = (0..data.len()).step_by(PIECE).map(move |start| {
            let piece = data.slice(start..data.len().min(start + PIECE));
            progress.advance(piece.len() as u64);
            sent.moved(piece.len());
            Ok::<Bytes, Infallible>(piece)
        });
        let request = self
            .request(Method::PUT, place.clone())
            .await?
            .header(CONTENT_LENGTH, blob.size())
            .header(CONTENT_TYPE, "application/octet-stream")
            .body(Body::wrap_stream(stream::iter(pieces)));
        taken(self.client.send_at(pace, request).await?, &place).await
    }

    /// Pushes a manifest under a tag, or under its own digest.
    pub(super) fn name(&self, manifest: &Blob, name: &str) -> Result<()> {
        self.wait(|| async {
            let url = self.endpoint.url(&format!("manifests/{name}"));
            let request = self
                .request(Method::PUT, url.clone())
                .await?
                .header(CONTENT_TYPE, manifest.media_type.to_string())
                .body(manifest.data.clone());
            taken(self.client.send(request).await?, &url).await
        })
    }
}
