//! The fields of a child that this operator applies: the desired and the current values.
//!
//! The API server records in `managedFields` which fields a manager applied, and removes them from
//! the list when another client changes or removes them. So if the listed fields equal the desired
//! ones, an apply would change nothing.

use serde_json_borrow::Value;

use super::sum::{members, sum};
use super::summed::Summed;
use crate::json;

/// The hash of the fields that an apply of a child, given as JSON, would set: all except those that identify the
/// object.
///
/// # Errors
/// If it is not JSON.
pub(crate) fn desired(child: &str) -> serde_json::Result<u64> {
    let child: Value = json::from_str(child)?;
    let fields = child
        .iter_object()
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| match (name, value) {
            ("apiVersion" | "kind" | "status", _) => None,
            ("metadata", Value::Object(metadata)) => {
                let set = metadata
                    .iter()
                    .filter(|(name, _)| !matches!(*name, "name" | "namespace"));
                Some((name, members(set.map(|(name, value)| (name, sum(value))))))
            }
            (name, value) => Some((name, sum(value))),
        });
    Ok(members(fields))
}

/// For each manager that applied fields of `object`: the hash of the fields that it still owns, with their current
/// values.
///
/// Anyone can write `managedFields`, with as many managers, paths and keys as fit into an object: the cost of each is
/// linear in its own length.
pub(crate) fn applied(object: &Value) -> Vec<(String, u64)> {
    let entries = object.get("metadata").get("managedFields").iter_array();
    let mut summed = None;
    let applied = entries.into_iter().flatten().filter_map(|entry| {
        let text = |field| entry.get(field).as_str().unwrap_or_default();
        let is_applied = text("operation") == "Apply" && text("subresource").is_empty();
        let fields = entry.get("fieldsV1").as_object().filter(|_| is_applied)?;
        let summed = summed.get_or_insert_with(|| Summed::of(object));
        Some((text("manager").to_owned(), summed.part(fields)))
    });
    applied.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const MANAGER: &str = "me";

    /// A Deployment as the API server returns it after some of its fields were applied.
    fn live(replicas: i32, fields: serde_json::Value) -> String {
        let object = json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {
                "name": "web",
                "finalizers": ["a", "b"],
                "labels": { "app": "web", "team": "a" },
                "managedFields": [
                    { "manager": "kubectl", "operation": "Apply", "fieldsV1": { "f:spec": {} } },
                    { "manager": MANAGER, "operation": "Update", "fieldsV1": { "f:spec": {} } },
                    {
                        "manager": MANAGER,
                        "operation": "Apply",
                        "subresource": "status",
                        "fieldsV1": { "f:status": {} },
                    },
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
        object.to_string()
    }

    fn fields() -> serde_json::Value {
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

    fn owned(object: &str, manager: &str) -> Option<u64> {
        let mut applied = applied(&serde_json::from_str(object).expect("an object")).into_iter();
        applied
            .find(|(name, _)| name == manager)
            .map(|(_, sum)| sum)
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
        let desired = desired(&applied.to_string()).expect("JSON");
        assert_eq!(owned(&live(2, fields()), MANAGER), Some(desired));
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
        let applied = json!({ "metadata": { "finalizers": ["b"] } });
        let desired = desired(&applied.to_string()).expect("JSON");
        assert_eq!(owned(&live(1, fields), MANAGER), Some(desired));
    }

    #[test]
    fn the_order_counts_of_elements_alone() {
        let sum = |json| sum(&serde_json::from_str(json).expect("JSON"));
        assert_eq!(
            sum(r#"{ "a": 1, "b": [2, 3] }"#),
            sum(r#"{ "b": [2, 3], "a": 1 }"#)
        );
        let different = [
            r#"{ "a": [1, 2] }"#,
            r#"{ "a": [2, 1] }"#,
            r#"{ "a": [[1], 2] }"#,
            r#"{ "a": { "1": 2 } }"#,
            r#"{ "b": [1, 2] }"#,
            r#"{ "a": "[1, 2]" }"#,
            "{}",
            "[]",
            "null",
        ];
        let sums: std::collections::HashSet<_> = different.map(sum).into_iter().collect();
        assert_eq!(sums.len(), different.len());
    }

    #[test]
    fn who_applied_nothing_owns_nothing() {
        assert_eq!(owned(&live(1, fields()), "somebody"), None);
    }
}
