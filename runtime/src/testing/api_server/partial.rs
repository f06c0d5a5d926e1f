//! Objects of which only the metadata is asked for.

use serde_json::{Value, json};

/// The metadata of an object.
pub(super) fn of(object: &Value) -> Value {
    json!({
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": object["metadata"],
    })
}

/// The metadata of what a list or an object is answered with.
pub(super) fn of_answer(answer: Value) -> Value {
    if answer["kind"] == "Status" {
        return answer;
    }
    let Some(items) = answer["items"].as_array() else {
        return of(&answer);
    };
    json!({
        "kind": "PartialObjectMetadataList",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": answer["metadata"],
        "items": items.iter().map(of).collect::<Vec<_>>(),
    })
}
