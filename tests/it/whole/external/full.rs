//! Objects that have every field of a schema.

use serde_json::{Map, Value, json};

/// A value with all that a schema has a name for. What it need not follow, such as a pattern, it does not follow: it is
/// for a type to read, and not for an API server.
pub(super) fn full(schema: &Value) -> Value {
    if let Some(word) = schema["enum"].as_array().and_then(|words| words.first()) {
        return word.clone();
    }
    if schema["x-kubernetes-int-or-string"] == true {
        return json!("50%");
    }
    let is_open = schema["x-kubernetes-preserve-unknown-fields"] == true;
    match schema["type"].as_str() {
        Some("object") => object(schema, is_open),
        Some("array") => json!([full(&schema["items"])]),
        Some("string") => json!(match schema["format"].as_str() {
            Some("date-time") => "2024-05-06T07:08:09.123456Z",
            Some("byte") => "aGVsbG8=",
            Some("date") => "2024-05-06",
            Some("duration") => "1h30m",
            _ => "a \"text\"\n",
        }),
        Some("integer") => match schema["format"].as_str() {
            Some("int32") => json!(i32::MAX),
            _ => schema
                .get("maximum")
                .cloned()
                .unwrap_or(json!(4_294_967_296_i64)),
        },
        Some("number") => json!(0.25),
        Some("boolean") => json!(false),
        _ => json!({"any": [1, "two", {"three": null}]}),
    }
}

fn object(schema: &Value, is_open: bool) -> Value {
    let mut fields = Map::new();
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        fields.insert(name.clone(), full(field));
    }
    let entries = &schema["additionalProperties"];
    if entries.is_object() {
        fields.insert("a key".to_owned(), full(entries));
        if entries["nullable"] == true {
            fields.insert("nothing".to_owned(), Value::Null);
        }
    } else if is_open || fields.is_empty() && *entries == true {
        fields.insert("unknown".to_owned(), json!({"kept": [true]}));
    }
    if schema["x-kubernetes-embedded-resource"] == true {
        for (name, text) in [("apiVersion", "example.org/v1"), ("kind", "Inner")] {
            fields.insert(name.to_owned(), json!(text));
        }
        fields.insert("metadata".to_owned(), json!({"name": "inner"}));
    }
    Value::Object(fields)
}
