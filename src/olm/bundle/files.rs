//! The manifests beside the `ClusterServiceVersion`.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::error::Result;
use crate::objects::{ObjectId, Objects, is_crd, is_webhook_configuration};
use crate::olm::csv::Permissions;
use crate::olm::kinds::SUPPORTED_KINDS;
use crate::yaml;

/// Files by name. `notes` says what no file has.
///
/// # Errors
/// As the library says.
pub(super) fn of(
    objects: &Objects,
    permissions: &Permissions,
    notes: &mut Vec<String>,
) -> Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    let mut left_out = Vec::new();
    for object in objects.iter() {
        let kind = object["kind"].as_str().unwrap_or_default();
        let is_olms = matches!(kind, "Deployment" | "Namespace")
            || is_webhook_configuration(object)
            || permissions.cover_object(object);
        if is_olms {
            continue;
        }
        if !(is_crd(object) || SUPPORTED_KINDS.contains(&kind)) {
            left_out.push(ObjectId::of(object).to_string());
            continue;
        }
        let mut object = object.clone();
        if let Some(metadata) = object["metadata"].as_object_mut() {
            metadata.remove("namespace");
        }
        let text = yaml::to_string(&object)?;
        let name = name(&object);
        let mut free = name.clone();
        for number in 0.. {
            if !files.contains_key(&free) {
                break;
            }
            free = format!("dup{number}_{name}");
        }
        files.insert(free, text);
    }
    if !left_out.is_empty() {
        notes.push(format!(
            "no bundle can hold {}: apply them beside it",
            left_out.join(", ")
        ));
    }
    if !permissions.elsewhere.is_empty() {
        notes.push(format!(
            "OLM grants nothing in other namespaces, so the bundle does not have {}: apply them beside it",
            permissions.elsewhere.join(", ")
        ));
    }
    Ok(files)
}

/// The name of an object's file.
fn name(object: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    if is_crd(object) {
        let spec = &object["spec"];
        return format!(
            "{}_{}.yaml",
            text(&spec["group"]),
            text(&spec["names"]["plural"])
        );
    }
    let version = text(&object["apiVersion"]).replace('/', "_");
    let kind = text(&object["kind"]).to_lowercase();
    format!(
        "{}_{version}_{kind}.yaml",
        text(&object["metadata"]["name"])
    )
}
