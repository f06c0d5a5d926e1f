//! The manifests of a release of OLM, from files and addresses that the user names.

use std::path::Path;
use std::time::Duration;

use clap::Args;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::cli::invocation::Invocation;
use crate::disk;
use crate::error::{Code, Context, Error, Result};
use crate::hex::hex;
use crate::http::{download, shown};
use crate::objects::{ObjectId, Objects, is_crd};

/// The most that manifests can have, in bytes: those of OLM have 2 MB.
const MOST: u64 = 32 << 20;

/// The groups of OLM's kinds: of v0, and of v1.
const GROUPS: [&str; 2] = ["operators.coreos.com", "olm.operatorframework.io"];

#[derive(Debug, Args)]
pub(super) struct ManifestArgs {
    /// Manifests of an OLM release, as files or URLs.
    #[arg(value_name = "FILE|URL", required = true)]
    sources: Vec<String>,

    /// SHA-256 of each file, in the same order; required for URLs.
    #[arg(long, value_name = "SUM", value_delimiter = ',', value_parser = sum)]
    sha256: Vec<String>,
}

fn sum(text: &str) -> Result<String, String> {
    let is_sum = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let sum = is_sum.then(|| text.to_ascii_lowercase());
    sum.ok_or_else(|| "expected 64 hex digits, as `sha256sum` prints them".into())
}

impl ManifestArgs {
    /// Reads all manifests, each download within a time. Nothing is downloaded before all checksums are known.
    pub(super) fn read(&self, time: Duration, invocation: &Invocation) -> Result<Manifests> {
        let is_url = |source: &String| source.contains("://");
        if self.sha256.is_empty() && self.sources.iter().any(is_url) {
            return Err(Error::new(
                Code::ConflictingFlags,
                "a URL needs `--sha256`, because its content is applied to the cluster",
            )
            .hint("take the checksum from the release, or download the file, read it, and run `sha256sum` on it"));
        }
        if !(self.sha256.is_empty() || self.sha256.len() == self.sources.len()) {
            return Err(Error::new(
                Code::ConflictingFlags,
                format!(
                    "{} files, but {} checksums",
                    self.sources.len(),
                    self.sha256.len()
                ),
            )
            .hint("pass `--sha256` once for each file, in the same order"));
        }
        let mut objects = Vec::new();
        for (index, named) in self.sources.iter().enumerate() {
            let source = &shown(named);
            let data = if is_url(named) {
                let progress = invocation.ui.progress("download", source, None);
                let data = download::bytes_within(named, MOST, time)?;
                drop(progress);
                data
            } else {
                file(named)?
            };
            if let Some(expected) = self.sha256.get(index) {
                let found = hex(&Sha256::digest(&data));
                if found != *expected {
                    return Err(Error::new(
                        Code::DownloadCorrupt,
                        format!("checksum mismatch for `{source}`: its SHA-256 is {found}, not {expected}"),
                    )
                    .hint("nothing was applied; check the file and the checksum"));
                }
            }
            let text = String::from_utf8(data)
                .context(Code::MalformedFile, || format!("`{source}` is not UTF-8"))?;
            let found = Objects::parse(&text)
                .map_err(|error| error.context(format!("failed to read `{source}`")))?;
            if let Some(object) = found.iter().find(|it| !is_object(it)) {
                let kind = object["kind"].as_str().unwrap_or_default();
                return Err(Error::new(
                    Code::MalformedFile,
                    format!(
                        "`{source}` is not a file of Kubernetes objects: one has no name (kind `{kind}`)"
                    ),
                ));
            }
            objects.extend(found.iter().cloned());
        }
        let objects: Objects = objects.into_iter().collect();
        if objects.is_empty() {
            return Err(Error::new(
                Code::MalformedFile,
                "the manifests have no objects",
            ));
        }
        if !objects.iter().any(is_of_olm) {
            let message = format!(
                "the manifests are not those of OLM: they have nothing of {}",
                GROUPS.join(" or ")
            );
            return Err(Error::new(Code::MalformedFile, message)
                .hint("name the manifests of a release of OLM, with its CRDs"));
        }
        Ok(Manifests { objects })
    }
}

/// The objects of OLM.
pub(super) struct Manifests {
    pub(super) objects: Objects,
}

impl Manifests {
    /// Those of the kinds that the CRDs among them define, and the others.
    pub(super) fn split(&self) -> (Objects, Objects) {
        let crds = self.objects.crds();
        let is_custom = |object: &Value| crds.iter().any(|crd| defines(crd, object));
        let plain = self.objects.only(|object| !is_custom(object));
        (self.objects.only(is_custom), plain)
    }
}

/// Whether an object is of the kind that a CRD defines.
pub(super) fn defines(crd: &Value, object: &Value) -> bool {
    let id = ObjectId::of(object);
    crd["spec"]["group"] == *id.group && crd["spec"]["names"]["kind"] == *id.kind
}

/// Whether an object is a CRD of OLM, or of a kind of OLM.
fn is_of_olm(object: &Value) -> bool {
    let group = if is_crd(object) {
        object["spec"]["group"].as_str().unwrap_or_default().into()
    } else {
        ObjectId::of(object).group
    };
    GROUPS.contains(&&*group)
}

fn is_object(object: &Value) -> bool {
    let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    is_text(&object["apiVersion"])
        && is_text(&object["kind"])
        && is_text(&object["metadata"]["name"])
}

fn file(source: &str) -> Result<Vec<u8>> {
    let path = Path::new(source);
    let length = path.metadata().unreadable(source)?.len();
    if length > MOST {
        let most = MOST >> 20;
        return Err(Error::new(
            Code::UnreadableFile,
            format!("`{source}` has more than {most} MiB"),
        ));
    }
    disk::read(path).unreadable(source)
}
