//! What an object in a cluster says of itself.

use serde_json::{Map, Value};

/// Whether two states of an object are the same but for what the API server keeps for itself.
pub(super) fn is_equal(left: &Value, right: &Value) -> bool {
    significant(left) == significant(right)
}

fn significant(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(fields) = object.as_object_mut() {
        fields.remove("status");
    }
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        for field in [
            "creationTimestamp",
            "generation",
            "managedFields",
            "resourceVersion",
            "uid",
        ] {
            metadata.remove(field);
        }
    }
    object
}

/// The conditions of an object, by their type.
pub(crate) fn condition<'a>(object: &'a Value, kind: &str) -> Option<&'a Map<String, Value>> {
    let conditions = object["status"]["conditions"].as_array()?;
    let found = conditions
        .iter()
        .find(|condition| condition["type"] == kind);
    found.and_then(Value::as_object)
}

/// Whether a condition is true.
pub(crate) fn is_true(object: &Value, kind: &str) -> bool {
    condition(object, kind).is_some_and(|condition| condition["status"] == "True")
}

/// What a condition says in words: its reason and its message.
pub(crate) fn words(condition: &Map<String, Value>) -> String {
    let text = |key: &str| {
        condition
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    match (text("reason"), text("message")) {
        ("", message) => message.to_owned(),
        (reason, "") => reason.to_owned(),
        (reason, message) => format!("{reason}: {message}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_the_server_keeps_does_not_count() {
        let left = json!({"metadata": {"name": "a", "generation": 1}, "spec": {"a": 1}});
        let right = json!({"metadata": {"name": "a", "uid": "u"}, "spec": {"a": 1}, "status": {}});
        assert!(is_equal(&left, &right));
        assert!(!is_equal(
            &left,
            &json!({"metadata": {"name": "a"}, "spec": {"a": 2}})
        ));
    }
}
