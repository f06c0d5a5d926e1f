//! What single keywords of a schema say.

use serde_json::Value;

/// Whether fields that it does not name are kept.
pub(super) fn is_open(schema: &Value) -> bool {
    schema["x-kubernetes-preserve-unknown-fields"] == true
}

/// The properties of an object.
pub(super) fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema["properties"].as_object().into_iter().flatten()
}

/// Whether null is a value.
pub(super) fn admits_null(schema: &Value) -> bool {
    schema["nullable"] == true
}

pub(super) fn is_required(schema: &Value, property: &str) -> bool {
    let required = schema["required"].as_array().into_iter().flatten();
    required.into_iter().any(|name| name == property)
}
