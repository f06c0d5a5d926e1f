//! Responses to metadata-only requests.

use serde_json::{Value, json};

/// The metadata of an object.
pub(super) fn of(object: &Value) -> Value {
    json!({
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": object["metadata"],
    })
}

/// The metadata of a response: a list or an object.
pub(super) fn of_answer(answer: Value) -> Value {
    if answer["kind"] == "Status" {
        return answer;
    }
    let Some(items) = answer["items"].as_array() else {
        return of(&answer);
    };
    let mut metadata = answer["metadata"].clone();
    if metadata["continue"] == ""
        && let Some(fields) = metadata.as_object_mut()
    {
        fields.remove("continue");
    }
    // A real API server writes an empty list like this.
    let items = match &**items {
        [] => Value::Null,
        items => items.iter().map(of).collect(),
    };
    json!({
        "kind": "PartialObjectMetadataList",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": metadata,
        "items": items,
    })
}
