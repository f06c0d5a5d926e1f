//! The hash in the names of generated objects: pods restart when the content changes.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::resource::Resource;

/// Hexadecimal digits that make no words.
const DIGITS: [char; 16] = [
    'g', 'h', '2', 'k', '4', '5', '6', '7', '8', '9', 'm', 'b', 'c', 'd', 't', 'f',
];

/// Adds the hash to the names that get one.
pub(super) fn add(resources: &mut [Resource]) -> Option<()> {
    for resource in resources.iter_mut().filter(|it| it.needs_hash()) {
        let hash = hash(&resource.value)?;
        resource.remember();
        let name = resource.name().name;
        resource.value["metadata"]["name"] = format!("{name}-{hash}").into();
    }
    Some(())
}

fn hash(object: &Value) -> Option<String> {
    let is_text = |value: &Value| {
        value
            .as_object()
            .is_some_and(|fields| fields.values().all(Value::is_string))
    };
    let data = object.get("data");
    if data.is_some_and(|data| !is_text(data)) {
        return None;
    }
    // kustomize looks for the name in the wrong place, so it is empty.
    let mut content = json!({
        "kind": object["kind"], "name": "", "data": data.cloned().unwrap_or_else(|| "".into()),
    });
    if object["kind"] == "Secret" {
        content["type"] = object.get("type").cloned().unwrap_or_else(|| "".into());
    }
    for field in ["binaryData", "stringData"] {
        if object.get(field).is_some() {
            return None;
        }
    }
    // As Go writes JSON.
    content.sort_all_objects();
    let text = content
        .to_string()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026");
    let digest = Sha256::digest(text);
    let digits = digest
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .take(10);
    Some(digits.map(|digit| DIGITS[usize::from(digit)]).collect())
}
