//! Validates objects.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::failure::{FieldError, Wrong};
use super::names;
use super::resource::Resource;

/// The errors of a new object.
pub(super) fn created(resource: &Resource, object: &Value) -> Vec<FieldError> {
    let mut errors = of_metadata(resource, object);
    errors.extend(super::valid_custom::check(resource, object, None));
    if resource.is_builtin {
        errors.extend(super::valid_builtin::created(resource, object));
        errors = distinct(errors);
    }
    errors
}

/// The errors of an update.
pub(super) fn updated(
    resource: &Resource,
    subresource: &str,
    old: &Value,
    object: &Value,
) -> Vec<FieldError> {
    let mut errors = of_metadata(resource, object);
    errors.extend(of_change(old, object));
    // The server validates the metadata for all kinds, and then again for the kind.
    errors.extend(errors.clone());
    errors.extend(super::valid_custom::check(resource, object, Some(old)));
    if resource.is_builtin && subresource == "status" {
        errors.extend(super::valid_builtin::of_status(resource, object));
    } else if resource.is_builtin {
        errors.extend(super::valid_builtin::updated(resource, old, object));
    }
    if resource.is_builtin {
        errors = distinct(errors);
    }
    errors
}

/// Removes duplicate errors: since Kubernetes 1.37, those of built-in kinds pass a filter that removes errors of the
/// declarative validation, and with it duplicates.
fn distinct(mut errors: Vec<FieldError>) -> Vec<FieldError> {
    let mut seen = BTreeSet::new();
    errors.retain(|error| seen.insert(error.text()));
    errors
}

fn of_metadata(resource: &Resource, object: &Value) -> Vec<FieldError> {
    let metadata = &object["metadata"];
    let mut errors = Vec::new();
    let check = match (&*resource.group, &*resource.plural) {
        ("", "services" | "namespaces") => names::label,
        ("rbac.authorization.k8s.io", _) => |_: &str| None,
        _ => names::subdomain,
    };
    match metadata["name"].as_str() {
        None | Some("") => errors.push(FieldError::required(
            "metadata.name",
            "name or generateName is required",
        )),
        Some(name) => {
            if let Some(error) = check(name) {
                errors.push(FieldError::invalid("metadata.name", json!(name), error));
            }
        }
    }
    for (key, value) in metadata["labels"].as_object().into_iter().flatten() {
        for error in names::qualified(key) {
            errors.push(FieldError::invalid("metadata.labels", json!(key), error));
        }
        if let Some(error) = names::label_value(value.as_str().unwrap_or_default()) {
            errors.push(FieldError::invalid("metadata.labels", value.clone(), error));
        }
    }
    for (key, _) in metadata["annotations"].as_object().into_iter().flatten() {
        for error in names::qualified(&key.to_lowercase()) {
            errors.push(FieldError::invalid(
                "metadata.annotations",
                json!(key),
                error,
            ));
        }
    }
    errors.extend(of_owners(&metadata["ownerReferences"]));
    let finalizers = metadata["finalizers"].as_array();
    for finalizer in finalizers.into_iter().flatten() {
        for error in names::qualified(finalizer.as_str().unwrap_or_default()) {
            errors.push(FieldError::invalid(
                "metadata.finalizers",
                finalizer.clone(),
                error,
            ));
        }
    }
    errors
}

fn of_owners(owners: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut controller: Option<String> = None;
    for (index, owner) in owners.as_array().into_iter().flatten().enumerate() {
        let text = |name: &str| owner[name].as_str().unwrap_or_default();
        let path = |field: &str| format!("metadata.ownerReferences[{index}].{field}");
        for field in ["apiVersion", "kind", "name", "uid"] {
            if text(field).is_empty() {
                errors.push(FieldError::required(&path(field), "must not be empty"));
            } else if field == "apiVersion" && !is_api_version(text(field)) {
                errors.push(FieldError::invalid(
                    &path(field),
                    owner[field].clone(),
                    "must be <group>/<version> or <version>",
                ));
            }
        }
        if owner["controller"] == true {
            let name = format!("{}/{}", text("kind"), text("name"));
            if let Some(first) = &controller {
                let detail = format!(
                    "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {name}"
                );
                errors.push(FieldError::invalid(
                    "metadata.ownerReferences",
                    owners.clone(),
                    detail,
                ));
            }
            controller.get_or_insert(name);
        }
    }
    errors
}

/// Whether a text is an `apiVersion`, with or without a group: `ParseGroupVersion` of the API server.
fn is_api_version(text: &str) -> bool {
    let version = text.split_once('/').map_or(text, |(_, version)| version);
    !version.is_empty() && !version.contains('/')
}

/// The errors of changed immutable fields.
fn of_change(old: &Value, object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let (old, new) = (&old["metadata"], &object["metadata"]);
    let list = |metadata: &Value| {
        metadata["finalizers"]
            .as_array()
            .cloned()
            .unwrap_or_default()
    };
    if !old["deletionTimestamp"].is_null() {
        let known = list(old);
        let mut added = list(new)
            .into_iter()
            .filter(|name| !known.contains(name))
            .map(|name| name.to_string())
            .collect::<Vec<_>>();
        added.sort();
        added.dedup();
        if !added.is_empty() {
            let detail = format!(
                "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                added.join(", ")
            );
            errors.push(FieldError::forbidden("metadata.finalizers", &detail));
        }
    }
    for field in [
        "name",
        "namespace",
        "uid",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
    ] {
        if old[field] != new[field] {
            let path = format!("metadata.{field}");
            errors.push(FieldError::new(
                Wrong::Invalid,
                &path,
                new[field].clone(),
                "field is immutable",
            ));
        }
    }
    errors
}
