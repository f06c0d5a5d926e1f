// Owned by rop: its commands rewrite this file, so make changes elsewhere [c7cd7cb9f2ed]
//! The fields of a child that this operator set: as it would set them, and as they are now.
//!
//! The API server notes in `managedFields` which fields a manager applied, and takes them off the
//! list where somebody else changes or removes them. So where what is listed equals what would be
//! applied, applying it would change nothing.

use std::hash::{DefaultHasher, Hash, Hasher};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Map, Value};

use super::Live;

/// What would be applied of a child, without the fields that say which object it is.
pub fn desired(mut child: Value) -> Value {
    if let Value::Object(fields) = &mut child {
        for field in ["apiVersion", "kind", "status"] {
            fields.remove(field);
        }
        if let Some(Value::Object(metadata)) = fields.get_mut("metadata") {
            metadata.remove("name");
            metadata.remove("namespace");
        }
    }
    child
}

/// What `manager` applied and still owns, with the values that it has in `object`.
pub fn owned(object: &Live, manager: &str) -> Option<Value> {
    let entries = object.metadata.managed_fields.as_ref()?;
    let entry = entries.iter().find(|entry| {
        entry.manager.as_deref() == Some(manager)
            && entry.operation.as_deref() == Some("Apply")
            && entry.subresource.as_deref().unwrap_or_default().is_empty()
    })?;
    let fields = entry.fields_v1.as_ref()?.0.as_object()?;
    let mut owned = members(&object.data, fields);
    if let Some(Value::Object(fields)) = fields.get("f:metadata") {
        let metadata = settable(&object.metadata).ok()?;
        owned.insert("metadata".to_owned(), project(&metadata, fields));
    }
    Some(Value::Object(owned))
}

/// What an operator sets of the metadata. To write all of it as JSON is dear, for `managedFields`.
fn settable(metadata: &ObjectMeta) -> serde_json::Result<Value> {
    serde_json::to_value(ObjectMeta {
        annotations: metadata.annotations.clone(),
        finalizers: metadata.finalizers.clone(),
        labels: metadata.labels.clone(),
        owner_references: metadata.owner_references.clone(),
        ..ObjectMeta::default()
    })
}

/// A short stand-in for a value: equal for equal values, whatever the order of their fields.
pub fn sum(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The part of `value` that `fields` lists, in the notation of `FieldsV1`: `f:` a field, `k:` an
/// element with these keys, `v:` an element with this value, and nothing more for the whole.
fn project(value: &Value, fields: &Map<String, Value>) -> Value {
    if fields.is_empty() {
        return value.clone();
    }
    match value {
        Value::Object(object) => Value::Object(members(object, fields)),
        Value::Array(elements) => {
            let paths: Vec<_> = fields.iter().filter_map(element).collect();
            elements
                .iter()
                .filter_map(|value| {
                    let (_, fields) = paths.iter().find(|(element, _)| element.is(value))?;
                    Some(project(value, fields))
                })
                .collect()
        }
        value => value.clone(),
    }
}

/// The members of an object that `fields` lists.
fn members(object: &Map<String, Value>, fields: &Map<String, Value>) -> Map<String, Value> {
    fields
        .iter()
        .filter_map(|(path, fields)| {
            let name = path.strip_prefix("f:")?;
            let value = project(object.get(name)?, fields.as_object()?);
            Some((name.to_owned(), value))
        })
        .collect()
}

/// How an element of a list is told from the others.
enum Element {
    Keys(Map<String, Value>),
    Value(Value),
}

impl Element {
    fn is(&self, value: &Value) -> bool {
        match self {
            Self::Keys(keys) => keys
                .iter()
                .all(|(key, wanted)| value.get(key) == Some(wanted)),
            Self::Value(wanted) => wanted == value,
        }
    }
}

/// The element that a path stands for, and what is listed of it.
fn element<'a>((path, fields): (&String, &'a Value)) -> Option<(Element, &'a Map<String, Value>)> {
    let (form, json) = path.split_at_checked(2)?;
    let element = match form {
        "k:" => Element::Keys(serde_json::from_str(json).ok()?),
        "v:" => Element::Value(serde_json::from_str(json).ok()?),
        _ => return None,
    };
    Some((element, fields.as_object()?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const MANAGER: &str = "me";

    /// A Deployment as an API server has it after two fields and a container were applied.
    fn live(replicas: i32, fields: Value) -> Live {
        let object = json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {
                "name": "web",
                "labels": { "app": "web", "team": "a" },
                "managedFields": [
                    { "manager": "kubectl", "operation": "Update", "fieldsV1": { "f:spec": {} } },
                    { "manager": MANAGER, "operation": "Apply", "fieldsV1": fields },
                ],
            },
            "spec": {
                "replicas": replicas,
                "paused": false,
                "selector": { "matchLabels": { "app": "web" } },
                "containers": [
                    { "name": "sidecar", "image": "proxy" },
                    { "name": "app", "image": "nginx", "imagePullPolicy": "Always" },
                ],
            },
        });
        serde_json::from_value(object).expect("an object")
    }

    fn fields() -> Value {
        json!({
            "f:metadata": { "f:labels": { "f:app": {} } },
            "f:spec": {
                "f:replicas": {},
                "f:selector": {},
                "f:containers": {
                    "k:{\"name\":\"app\"}": { ".": {}, "f:name": {}, "f:image": {} },
                },
            },
        })
    }

    #[test]
    fn what_is_owned_equals_what_was_applied() {
        let applied = json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": { "name": "web", "namespace": "shop", "labels": { "app": "web" } },
            "spec": {
                "selector": { "matchLabels": { "app": "web" } },
                "containers": [{ "name": "app", "image": "nginx" }],
                "replicas": 2,
            },
        });
        let desired = desired(applied);
        let owned = owned(&live(2, fields()), MANAGER).expect("an entry");
        assert_eq!(owned, desired);
        assert_eq!(sum(&owned), sum(&desired));
    }

    #[test]
    fn a_field_that_was_taken_or_changed_differs() {
        let before = owned(&live(2, fields()), MANAGER);
        assert_ne!(owned(&live(3, fields()), MANAGER), before);
        let mut taken = fields();
        taken["f:spec"]
            .as_object_mut()
            .map(|fields| fields.remove("f:replicas"));
        assert_ne!(owned(&live(2, taken), MANAGER), before);
    }

    #[test]
    fn values_of_a_set_are_elements() {
        let fields = json!({ "f:metadata": { "f:finalizers": { ".": {}, "v:\"b\"": {} } } });
        let mut object = live(1, fields);
        object.metadata.finalizers = Some(vec!["a".to_owned(), "b".to_owned()]);
        let expected = json!({ "metadata": { "finalizers": ["b"] } });
        assert_eq!(owned(&object, MANAGER), Some(expected));
    }

    #[test]
    fn who_applied_nothing_owns_nothing() {
        assert_eq!(owned(&live(1, fields()), "somebody"), None);
    }
}
