//! Versions that are taken out of a CRD: not while an object needs one.

use serde_json::Value;

use crate::error::{Code, Error, Result};
use crate::kubectl::Kubectl;
use crate::objects::{ObjectId, Objects};

use super::CustomObjects;
use super::custom_objects::{TOLD, collection, name_in_namespace};

/// So many objects are read at once.
const PAGE: usize = 500;

const HINT: &str = "first deploy a release that keeps this version with `--served=false` and has another hub: its \
    operator migrates all objects within minutes";

/// Sees whether the CRDs among some objects lack a version that the cluster's, `live`, have and that an object needs.
///
/// The API server refuses a CRD without a version that `status.storedVersions` names. It does not see that objects
/// remember who set which field in which version (`metadata.managedFields`): one that names a version which is gone
/// can never be applied server-side again (seen on 1.36.3).
///
/// # Errors
/// A version is needed, or the objects cannot be read.
pub fn check_retired(kubectl: &Kubectl, live: &[Value], objects: &Objects) -> Result<()> {
    for live in live {
        let id = ObjectId::of(live);
        let Some(next) = objects.iter().find(|next| ObjectId::of(next) == id) else {
            continue;
        };
        let kept = versions(next);
        let mut gone = versions(live);
        gone.retain(|version| !kept.contains(version));
        if gone.is_empty() {
            continue;
        }
        let stored = live["status"]["storedVersions"].as_array();
        let is_stored = |version: &&&str| {
            let mut stored = stored.into_iter().flatten();
            stored.any(|stored| stored == **version)
        };
        if let Some(version) = gone.iter().find(is_stored) {
            let why = "objects may still be stored in it (see `status.storedVersions` of the CRD)";
            return Err(needed(&id, version, why.to_owned()));
        }
        if let Some((version, remembering)) = remembering(kubectl, live, &gone)? {
            let why = format!("objects still carry fields set in it: {remembering}");
            return Err(needed(&id, &version, why));
        }
    }
    Ok(())
}

fn needed(crd: &ObjectId, version: &str, why: String) -> Error {
    let name = &crd.name;
    let message = format!("`{version}` of {name} cannot be removed yet");
    Error::new(Code::VersionStored, why)
        .context(message)
        .hint(HINT)
}

fn versions(crd: &Value) -> Vec<&str> {
    let versions = crd["spec"]["versions"].as_array().into_iter().flatten();
    versions
        .filter_map(|version| version["name"].as_str())
        .collect()
}

/// The objects whose fields were set in one of these versions, and that version.
fn remembering(
    kubectl: &Kubectl,
    crd: &Value,
    gone: &[&str],
) -> Result<Option<(String, CustomObjects)>> {
    let Some(path) = collection(crd) else {
        return Ok(None);
    };
    let group = crd["spec"]["group"].as_str().unwrap_or_default();
    let mut of_version = None;
    let mut found = CustomObjects {
        crd: ObjectId::of(crd).name,
        count: 0,
        names: Vec::new(),
        finalized: false,
    };
    let mut next = String::new();
    loop {
        let page = format!("{path}?limit={PAGE}{next}");
        let list = kubectl.json(&["get", "--raw", &page], None)?;
        for object in list["items"].as_array().into_iter().flatten() {
            let managed = object["metadata"]["managedFields"].as_array();
            let versions = managed.into_iter().flatten().filter_map(|entry| {
                let version = entry["apiVersion"].as_str()?.strip_prefix(group)?;
                version.strip_prefix('/')
            });
            let Some(version) = versions.into_iter().find(|version| gone.contains(version)) else {
                continue;
            };
            of_version.get_or_insert_with(|| version.to_owned());
            found.count += 1;
            if found.names.len() < TOLD {
                found.names.push(name_in_namespace(object));
            }
        }
        match list["metadata"]["continue"].as_str() {
            Some(token) if !token.is_empty() => next = format!("&continue={token}"),
            _ => return Ok(of_version.map(|version| (version, found))),
        }
    }
}
