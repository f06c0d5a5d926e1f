//! The differences between kinds when objects are written.

use serde_json::{Value, json};

use super::fields::Set;
use super::resource::Resource;
use super::state::State;

/// Whether an update of these objects needs no `resourceVersion`.
pub(super) fn is_unconditional(resource: &Resource) -> bool {
    let conditional = [
        "poddisruptionbudgets",
        "leases",
        "mutatingwebhookconfigurations",
        "validatingwebhookconfigurations",
        "customresourcedefinitions",
    ];
    resource.is_builtin && !conditional.contains(&&*resource.plural)
}

/// Whether an update creates an object that does not exist.
pub(super) fn creates_on_update(resource: &Resource) -> bool {
    let kinds = [
        "roles",
        "rolebindings",
        "clusterroles",
        "clusterrolebindings",
        "leases",
        "events",
        "services",
        "endpoints",
    ];
    resource.is_builtin && kinds.contains(&&*resource.plural)
}

/// Whether these objects have a generation, which counts changes of the spec.
fn has_generation(resource: &Resource) -> bool {
    let without = [
        "configmaps",
        "secrets",
        "services",
        "serviceaccounts",
        "namespaces",
        "nodes",
        "persistentvolumeclaims",
        "resourcequotas",
        "events",
        "endpoints",
        "controllerrevisions",
        "roles",
        "rolebindings",
        "clusterroles",
        "clusterrolebindings",
        "leases",
        "storageclasses",
        "horizontalpodautoscalers",
    ];
    !resource.is_builtin || !without.contains(&&*resource.plural)
}

/// The fields that an endpoint does not change.
pub(super) fn reset(resource: &Resource, subresource: &str) -> Set {
    let is_status = subresource == "status";
    if !resource.has_status {
        return Set::default();
    }
    if !is_status {
        return match &*resource.plural {
            "namespaces" | "nodes" if resource.is_builtin => Set::of(&["status"]),
            _ => Set::of(&["status"]),
        };
    }
    if !resource.is_builtin {
        return Set::of(&["metadata"]).union(&Set::of(&["spec"]));
    }
    match &*resource.plural {
        "deployments" => Set::of(&["spec"]).union(&Set::of(&["metadata", "labels"])),
        _ => Set::of(&["spec"]),
    }
}

/// The finalizer of claims, which one of Kubernetes' controllers removes once no Pod uses them.
pub(super) const CLAIM_PROTECTION: &str = "kubernetes.io/pvc-protection";

/// The built-in admission plugins.
pub(super) fn admit(resource: &Resource, object: &mut Value) {
    if resource.is_builtin && resource.plural == "persistentvolumeclaims" {
        let known = super::metadata::finalizers(object).contains(&CLAIM_PROTECTION);
        if !known && object["metadata"]["deletionTimestamp"].is_null() {
            let mut finalizers = object["metadata"]["finalizers"].take();
            match finalizers.as_array_mut() {
                Some(list) => list.push(json!(CLAIM_PROTECTION)),
                None => finalizers = json!([CLAIM_PROTECTION]),
            }
            object["metadata"]["finalizers"] = finalizers;
        }
    }
}

/// Prepares a new object.
pub(super) fn create(state: &mut State, resource: &Resource, object: &mut Value) {
    if resource.has_status {
        reset_status(resource, object);
    }
    if has_generation(resource) {
        object["metadata"]["generation"] = json!(1);
    } else if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.remove("generation");
    }
    if !resource.is_builtin {
        return;
    }
    match &*resource.plural {
        "services" => super::service::allocate(state, object),
        "namespaces" => {
            let name = object["metadata"]["name"].clone();
            object["metadata"]["labels"]["kubernetes.io/metadata.name"] = name;
        }
        "jobs" => super::builtin_defaults::own_pods(object),
        _ => {}
    }
}

/// Removes the status that a user sets in a new object.
fn reset_status(resource: &Resource, object: &mut Value) {
    if !resource.is_builtin {
        if let Some(fields) = object.as_object_mut() {
            fields.remove("status");
        }
        return;
    }
    let keeps = ["nodes", "customresourcedefinitions"];
    if keeps.contains(&&*resource.plural) {
        return;
    }
    let mut empty = super::decoded::empty(resource);
    super::schema::defaults::fill(&resource.schema, &mut empty);
    object["status"] = empty["status"].take();
}

/// Prepares the update of an object.
pub(super) fn update(resource: &Resource, subresource: &str, old: &Value, object: &mut Value) {
    match subresource {
        "status" if !resource.is_builtin => {
            let status = object.get("status").cloned();
            let managed = object["metadata"].get("managedFields").cloned();
            *object = old.clone();
            put(&mut object["metadata"], "managedFields", managed);
            put(object, "status", status);
        }
        "status" => {
            put(object, "spec", old.get("spec").cloned());
            if resource.plural == "deployments" {
                let labels = old["metadata"].get("labels").cloned();
                put(&mut object["metadata"], "labels", labels);
            }
        }
        _ => {
            if resource.has_status && resource.plural != "customresourcedefinitions" {
                put(object, "status", old.get("status").cloned());
            }
            if resource.is_builtin && resource.plural == "services" {
                super::service::keep(old, object);
            }
        }
    }
    if subresource != "status"
        && has_generation(resource)
        && is_new_generation(resource, old, object)
    {
        let generation = old["metadata"]["generation"].as_i64().unwrap_or(0);
        object["metadata"]["generation"] = json!(generation + 1);
    }
}

fn put(object: &mut Value, field: &str, value: Option<Value>) {
    match (value, object.as_object_mut()) {
        (Some(value), Some(fields)) => {
            fields.insert(field.to_owned(), value);
        }
        (None, Some(fields)) => {
            fields.remove(field);
        }
        _ => {}
    }
}

fn is_new_generation(resource: &Resource, old: &Value, object: &Value) -> bool {
    let content = |object: &Value| {
        let mut object = object.clone();
        if let Some(fields) = object.as_object_mut() {
            fields.retain(|name, _| !matches!(&**name, "apiVersion" | "kind" | "metadata"));
            if resource.is_builtin {
                fields.remove("status");
            }
        }
        object
    };
    let has_new_annotations = resource.is_builtin
        && resource.plural == "deployments"
        && old["metadata"]["annotations"] != object["metadata"]["annotations"];
    content(old) != content(object) || has_new_annotations
}
