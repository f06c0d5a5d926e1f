//! The managers of an object's fields.

use serde_json::Value;

use super::target::text;
use crate::children::Names;
use crate::labels::MANAGED_BY;

/// The entries of an object's managed fields.
fn entries(object: &Value) -> impl Iterator<Item = &Value> {
    object["metadata"]["managedFields"]
        .as_array()
        .into_iter()
        .flatten()
}

/// Whether an entry is of the operator: its controllers can have names of their own after a slash.
pub(super) fn is_of(entry: &Value, operator: &str) -> bool {
    let name = entry["manager"].as_str().unwrap_or_default();
    name.split('/').next() == Some(operator)
}

/// Whether the operator has created or changed an object.
pub(super) fn is_ours(object: &Value, operator: &str) -> bool {
    entries(object).any(|entry| is_of(entry, operator))
        || object["metadata"]["labels"][MANAGED_BY] == operator
}

/// The fields of an object, without its status, that the operator manages, also if a request named no manager: trees of
/// `fieldsV1`.
pub(super) fn of_child<'a>(object: &'a Value, operator: &str) -> impl Iterator<Item = &'a Value> {
    fields(object, None, move |entry| is_of_child(entry, operator))
}

/// The fields of the status of an object that the operator manages, also if a request named no manager.
pub(super) fn of_status<'a>(object: &'a Value, operator: &str) -> impl Iterator<Item = &'a Value> {
    fields(object, Some("status"), move |entry| {
        is_of_child(entry, operator)
    })
}

/// The fields in the entries that are meant, for a subresource or for the object itself.
fn fields<'a>(
    object: &'a Value,
    subresource: Option<&'static str>,
    is_meant: impl Fn(&Value) -> bool,
) -> impl Iterator<Item = &'a Value> {
    entries(object)
        .filter(move |entry| is_meant(entry) && entry["subresource"].as_str() == subresource)
        .map(|entry| &entry["fieldsV1"])
}

/// Whether the last apply of the operator had the replicas of a workload: so will the next one.
pub(super) fn applies_replicas(workload: &Value, operator: &str) -> bool {
    entries(workload).any(|entry| {
        let is_applied = is_of(entry, operator) && entry["operation"] == "Apply";
        is_applied && entry["fieldsV1"]["f:spec"].get("f:replicas").is_some()
    })
}

fn is_of_child(entry: &Value, operator: &str) -> bool {
    is_of(entry, operator) || entry["manager"] == "unknown"
}

/// Whether another client than the operator and the controllers of Kubernetes manages fields of a child.
pub(super) fn is_shared(object: &Value, operator: &str) -> bool {
    entries(object).any(|entry| !is_of_child(entry, operator) && entry["subresource"] != "status")
}

/// Removes what the operator has written to an object that it has not created: its managed labels and annotations.
pub(super) fn remove_ours(object: &mut Value, operator: &str) {
    for map in ["labels", "annotations"] {
        let owned: Vec<String> = of_child(object, operator)
            .filter_map(|fields| fields["f:metadata"][format!("f:{map}")].as_object())
            .flat_map(|fields| fields.keys())
            .filter_map(|key| Some(key.strip_prefix("f:")?.to_owned()))
            .collect();
        if let Some(values) = object["metadata"][map].as_object_mut() {
            values.retain(|key, _| !owned.contains(key));
        }
    }
    if let Some(entries) = object["metadata"]["managedFields"].as_array_mut() {
        entries.retain(|entry| !is_of_child(entry, operator));
    }
}

/// Whether the operator has added a label or an annotation to an object, also if a request named no manager.
pub(super) fn is_marked(object: &Value, operator: &str) -> bool {
    of_child(object, operator).any(|fields| {
        let metadata = &fields["f:metadata"];
        metadata.get("f:labels").is_some() || metadata.get("f:annotations").is_some()
    })
}

/// The reference to the controller of an object.
pub(super) fn controller(object: &Value) -> Option<&Value> {
    let references = object["metadata"]["ownerReferences"].as_array();
    references
        .into_iter()
        .flatten()
        .find(|reference| reference["controller"] == true)
}

/// The name of the kind of the controller of an object.
pub(super) fn controller_kind(object: &Value) -> Option<&str> {
    controller(object)?["kind"].as_str()
}

/// The uids of the owners of a child. One that cannot have an owner reference names its owner in an annotation.
pub(super) fn owner_uids<'a>(child: &'a Value, operator: &str) -> Vec<&'a str> {
    let annotated = &child["metadata"]["annotations"][Names::owner_uid(operator)];
    referenced_uids(child).chain(annotated.as_str()).collect()
}

/// The uids in the owner references of an object.
pub(super) fn referenced_uids(object: &Value) -> impl Iterator<Item = &str> {
    let references = object["metadata"]["ownerReferences"].as_array();
    let references = references.into_iter().flatten();
    references.filter_map(|reference| reference["uid"].as_str())
}

/// Whether an object is being deleted.
pub(super) fn is_going(object: &Value) -> bool {
    !text(object, "deletionTimestamp").is_empty()
}
