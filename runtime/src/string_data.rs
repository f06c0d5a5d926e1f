//! `stringData` of a Secret. An API server moves it to `data`, but records that the client applied `stringData`: nothing
//! in the metadata tells when somebody else changes `data`, and a key that is no longer applied stays.

use k8s_openapi::ByteString;
use kube::api::ApiResource;
use serde_json::{Value, json};

/// The JSON of a Secret with its `stringData` in `data`. `None` if there is none, and for other kinds.
///
/// # Errors
/// If it is not JSON.
pub(crate) fn moved(kind: &ApiResource, text: &str) -> serde_json::Result<Option<String>> {
    let is_secret = kind.group.is_empty() && kind.kind == "Secret";
    if !is_secret || !text.contains("\"stringData\"") {
        return Ok(None);
    }
    let mut secret: Value = serde_json::from_str(text)?;
    move_to_data(&mut secret);
    Ok(Some(secret.to_string()))
}

/// Moves `stringData` of a Secret to `data`, encoded, as an API server does.
pub(crate) fn move_to_data(secret: &mut Value) {
    let Some(fields) = secret.as_object_mut() else {
        return;
    };
    let Some(Value::Object(texts)) = fields.remove("stringData") else {
        return;
    };
    let data = fields.entry("data").or_insert(Value::Null);
    if data.is_null() {
        *data = json!({});
    }
    // Anything else is refused.
    let Some(data) = data.as_object_mut() else {
        return;
    };
    for (key, text) in texts {
        let bytes = text.as_str().unwrap_or_default().as_bytes();
        data.insert(key, json!(ByteString(bytes.to_vec())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_encoded() {
        for (text, encoded) in [
            ("", ""),
            ("a", "YQ=="),
            ("ab", "YWI="),
            ("abc", "YWJj"),
            ("geheim", "Z2VoZWlt"),
        ] {
            let mut secret = json!({ "stringData": { "key": text } });
            move_to_data(&mut secret);
            assert_eq!(secret, json!({ "data": { "key": encoded } }));
        }
    }

    /// An API server refuses it.
    #[test]
    fn data_of_another_type_stays() {
        let mut secret = json!({ "stringData": { "key": "a" }, "data": "b" });
        move_to_data(&mut secret);
        assert_eq!(secret, json!({ "data": "b" }));
    }
}
