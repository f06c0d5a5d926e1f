use oci_spec::image::Arch;
use reqwest::Method;
use reqwest::header::HeaderMap;
use serde::Deserialize;
use sha2::{Digest, Sha512};

use crate::error::{Code, Error};
use crate::hex::hex;
use crate::image::blob::sha256;
use crate::image::platform::Platform;

use super::{Fault, Registry, limits};

/// The header with the digest of a document.
const DIGEST: &str = "docker-content-digest";

/// What images are made of. Anything may stand in it that a registry says.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Descriptor {
    pub(super) media_type: String,
    pub(super) digest: String,
    pub(super) size: u64,
}

/// The manifest of an image for one platform.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Manifest {
    pub(super) config: Descriptor,
    pub(super) layers: Vec<Descriptor>,
}

/// A manifest, or an index of those of several platforms.
#[derive(Deserialize)]
#[serde(untagged)]
enum Document {
    Index { manifests: Vec<Entry> },
    Manifest(Manifest),
}

#[derive(Deserialize)]
struct Entry {
    digest: String,
    platform: Option<EntryPlatform>,
}

#[derive(Deserialize)]
struct EntryPlatform {
    os: String,
    architecture: String,
}

impl Registry {
    /// The digest of the document that a name leads to.
    pub(super) async fn manifest_digest(&self, name: &str) -> Result<String, Fault> {
        let path = format!("manifests/{name}");
        let answer = self.read(Method::HEAD, &path).await?;
        match digest_header(answer.headers()) {
            Some(digest) => Ok(digest),
            None => Ok(self.document(name).await?.1),
        }
    }

    /// The manifest that a name leads to, for a platform, and its digest.
    pub(super) async fn manifest(
        &self,
        name: &str,
        platform: Platform,
    ) -> Result<(Manifest, String), Fault> {
        let (document, digest) = self.document(name).await?;
        let entries = match document {
            Document::Manifest(manifest) => return Ok((manifest, digest)),
            Document::Index { manifests } => manifests,
        };
        let Some(digest) = choose(&entries, platform) else {
            return Err(Fault::Missing(format!("no image for {platform}")));
        };
        if !is_digest(digest) {
            return Err(broken(format!(
                "the index has the invalid digest `{digest}`: expected SHA-256 or SHA-512"
            )));
        }
        match self.document(digest).await? {
            (Document::Manifest(manifest), digest) => Ok((manifest, digest)),
            (Document::Index { .. }, _) => Err(broken(format!(
                "the index points to another index, `{digest}`"
            ))),
        }
    }

    async fn document(&self, name: &str) -> Result<(Document, String), Fault> {
        let answer = match self.read(Method::GET, &format!("manifests/{name}")).await {
            Err(Fault::Status { code: 404, text }) => return Err(Fault::Missing(text)),
            answer => answer?,
        };
        let header = digest_header(answer.headers());
        let body = answer.bytes(limits::DOCUMENT).await?;
        let digest = format!("sha256:{}", sha256(&body));
        let expected = is_digest(name).then(|| name.to_owned());
        for expected in expected.into_iter().chain(header) {
            check(&body, &expected)?;
        }
        let document = serde_json::from_slice(&body).map_err(|_| {
            // serde's own message names the variants of an enum.
            let why = "its response is neither an image manifest nor an image index";
            broken(why.to_owned())
        });
        Ok((document?, digest))
    }

    /// A blob that is as the manifest says. `progress` is told how many bytes have arrived.
    pub(super) async fn blob(
        &self,
        expected: &Descriptor,
        mut progress: impl FnMut(u64),
    ) -> Result<Vec<u8>, Fault> {
        let Descriptor { digest, size, .. } = expected;
        if !is_sha256(digest) {
            return Err(broken(format!(
                "its manifest has the invalid digest `{digest}`: expected SHA-256"
            )));
        }
        let answer = self.read(Method::GET, &format!("blobs/{digest}")).await?;
        let mut data = Vec::new();
        let keep = |part: &[u8]| {
            data.extend_from_slice(part);
            progress(part.len() as u64);
            Ok(())
        };
        answer.each(*size, keep).await?;
        let length = data.len() as u64;
        if length != *size {
            let error = format!("`{digest}` has {length} bytes, but the manifest says {size}");
            return Err(broken(error));
        }
        check(&data, digest)?;
        Ok(data)
    }
}

/// The image for a platform among several.
fn choose(entries: &[Entry], platform: Platform) -> Option<&str> {
    let fits = |entry: &&Entry| {
        entry.platform.as_ref().is_some_and(|found| {
            found.os == "linux" && Arch::from(&*found.architecture) == platform.architecture()
        })
    };
    entries.iter().find(fits).map(|entry| &*entry.digest)
}

/// The digest that a registry tells beside a document. One of another sort says nothing to us.
fn digest_header(headers: &HeaderMap) -> Option<String> {
    let digest = headers.get(DIGEST)?.to_str().ok()?;
    is_sha256(digest).then(|| digest.to_owned())
}

fn is_sha256(digest: &str) -> bool {
    is_sum(digest, "sha256:", 64)
}

/// Whether data can be compared with it.
fn is_digest(digest: &str) -> bool {
    is_sha256(digest) || is_sum(digest, "sha512:", 128)
}

fn is_sum(digest: &str, algorithm: &str, length: usize) -> bool {
    let is_digit = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
    digest
        .strip_prefix(algorithm)
        .is_some_and(|digits| digits.len() == length && digits.bytes().all(is_digit))
}

/// Compares data with a digest.
fn check(data: &[u8], digest: &str) -> Result<(), Fault> {
    let found = match digest.split_once(':') {
        Some(("sha512", _)) => format!("sha512:{}", hex(&Sha512::digest(data))),
        _ => format!("sha256:{}", sha256(data)),
    };
    if found == digest {
        Ok(())
    } else {
        Err(broken(format!("it sent `{found}` instead of `{digest}`")))
    }
}

fn broken(message: String) -> Fault {
    Fault::Broken(Error::new(Code::RegistryFailed, message))
}
