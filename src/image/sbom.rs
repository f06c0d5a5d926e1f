//! The bill of materials of an image: every crate that went into the operator, as SPDX.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use oci_spec::image::{ImageIndexBuilder, ImageManifestBuilder, MediaType, SCHEMA_VERSION};
use serde_json::{Value, json};

use crate::error::{Error, Result};

use super::blob::{Blob, sha256};
use super::origin::metadata;
use super::single::Single;

/// The type of such a document, for registries.
const SPDX: &str = "application/spdx+json";

/// A bill of materials that refers to the image that it is of.
#[derive(Debug)]
pub(super) struct Bill {
    pub(super) manifest: Blob,
    /// The digest of the image's manifest.
    pub(super) subject: String,
    config: Blob,
    pub(super) document: Blob,
}

impl Bill {
    /// Lists what the operator is made of for a target of Rust.
    ///
    /// # Errors
    /// Cargo does not say.
    pub(super) fn new(
        root: &Path,
        package: &str,
        triple: &str,
        image: &Single,
        created: &str,
    ) -> Result<Self> {
        let metadata = metadata(root, &["--locked", "--filter-platform", triple])?;
        let document = document(&metadata, package, image, created);
        let document = Blob::json(MediaType::Other(SPDX.into()), &document)?;
        let config = Blob::new(MediaType::EmptyJSON, &b"{}"[..]);
        let manifest = ImageManifestBuilder::default()
            .schema_version(SCHEMA_VERSION)
            .media_type(MediaType::ImageManifest)
            .artifact_type(MediaType::Other(SPDX.into()))
            .config(config.descriptor())
            .layers([document.descriptor()])
            .subject(image.manifest.descriptor())
            .build()
            .map_err(Error::new)?;
        Ok(Self {
            manifest: Blob::json(MediaType::ImageManifest, &manifest)?,
            subject: image.manifest.hex.clone(),
            config,
            document,
        })
    }

    /// What the manifest names.
    pub(super) fn blobs(&self) -> impl Iterator<Item = &Blob> {
        [&self.document, &self.config].into_iter()
    }

    /// The tag and the index by which it is found in registries that do not look for what refers
    /// to an image.
    ///
    /// # Errors
    /// The index cannot be written.
    pub(super) fn referrers(&self) -> Result<(String, Blob)> {
        let descriptor = self.manifest.describe();
        let descriptor = descriptor.artifact_type(MediaType::Other(SPDX.into()));
        let index = ImageIndexBuilder::default()
            .schema_version(SCHEMA_VERSION)
            .media_type(MediaType::ImageIndex)
            .manifests([descriptor.build().map_err(Error::new)?])
            .build()
            .map_err(Error::new)?;
        let tag = format!("sha256-{}", self.subject);
        Ok((tag, Blob::json(MediaType::ImageIndex, &index)?))
    }
}

/// An SPDX 2.3 document. Its namespace is of its content, so that it is the same each time.
fn document(metadata: &Value, package: &str, image: &Single, created: &str) -> Value {
    let used = used(metadata, package);
    let packages: BTreeMap<&str, &Value> = array(&metadata["packages"])
        .filter_map(|one| Some((one["id"].as_str()?, one)))
        .filter(|(id, _)| used.contains_key(id))
        .collect();
    let name = |id: &str| {
        let package = packages.get(id).copied().unwrap_or(&Value::Null);
        let (name, version) = (text(package, "name"), text(package, "version"));
        (
            format!(
                "SPDXRef-{}-{}",
                name.replace('_', "-"),
                version.replace('+', "-")
            ),
            name,
            version,
        )
    };
    let listed: Vec<Value> = packages
        .iter()
        .map(|(id, package)| {
            let (reference, name, version) = name(id);
            let is_public = package["source"].is_string();
            let mut entry = json!({
                "SPDXID": reference,
                "name": name,
                "versionInfo": version,
                "downloadLocation": "NOASSERTION",
                "filesAnalyzed": false,
                "licenseConcluded": "NOASSERTION",
                // Cargo allows a slash where SPDX has a word.
                "licenseDeclared": package["license"].as_str().map_or("NOASSERTION".into(), |l| l.replace('/', " OR ")),
                "copyrightText": "NOASSERTION",
            });
            if is_public {
                entry["externalRefs"] = json!([{
                    "referenceCategory": "PACKAGE-MANAGER",
                    "referenceType": "purl",
                    "referenceLocator": format!("pkg:cargo/{name}@{version}"),
                }]);
            }
            entry
        })
        .collect();
    let mut relations = Vec::new();
    for (id, dependencies) in &used {
        let (of, found, _) = name(id);
        if found == package {
            relations.push(relation("SPDXRef-DOCUMENT", "DESCRIBES", &of));
        }
        for dependency in dependencies {
            relations.push(relation(&of, "DEPENDS_ON", &name(dependency).0));
        }
    }
    let mark = sha256(format!("{} {listed:?}", image.manifest.hex).as_bytes());
    json!({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": format!("{package} sha256:{}", image.manifest.hex),
        "documentNamespace": format!("urn:sha256:{mark}"),
        "creationInfo": {
            "created": created,
            "creators": [concat!("Tool: rop-", env!("CARGO_PKG_VERSION"))],
        },
        "packages": listed,
        "relationships": relations,
    })
}

fn relation(from: &str, kind: &str, to: &str) -> Value {
    json!({"spdxElementId": from, "relationshipType": kind, "relatedSpdxElement": to})
}

/// The packages that are linked into the operator, each with what it depends on: neither those for
/// tests nor those that run when it is built, as macros do.
fn used<'a>(metadata: &'a Value, package: &str) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let nodes: BTreeMap<&str, &Value> = array(&metadata["resolve"]["nodes"])
        .filter_map(|node| Some((node["id"].as_str()?, node)))
        .collect();
    let macros: BTreeSet<&str> = array(&metadata["packages"])
        .filter(|one| {
            array(&one["targets"])
                .any(|target| array(&target["kind"]).any(|kind| kind == "proc-macro"))
        })
        .filter_map(|one| one["id"].as_str())
        .collect();
    let start = array(&metadata["packages"])
        .find(|one| one["name"] == package && one["source"].is_null())
        .and_then(|one| one["id"].as_str());
    let mut used = BTreeMap::new();
    let mut waiting: Vec<&str> = start.into_iter().collect();
    while let Some(id) = waiting.pop() {
        let Some(node) = nodes.get(id).filter(|_| !used.contains_key(id)) else {
            continue;
        };
        let dependencies: BTreeSet<&str> = array(&node["deps"])
            .filter(|dependency| array(&dependency["dep_kinds"]).any(|kind| kind["kind"].is_null()))
            .filter_map(|dependency| dependency["pkg"].as_str())
            .filter(|id| !macros.contains(id))
            .collect();
        waiting.extend(&dependencies);
        used.insert(id, dependencies);
    }
    used
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}
