//! A small object that a schema allows, as far as a schema tells.

use serde_json::{Map, Value, json};

use super::Definition;
use super::schema::{Plain, Shape, is_required, properties, shape};

impl Definition {
    /// What an object needs beside version, kind and metadata: what is required, and an empty `spec`.
    pub fn sample(&self) -> Map<String, Value> {
        let meta = ["apiVersion", "kind", "metadata"];
        let fields = properties(&self.schema).filter(|(name, _)| {
            let is_meta = meta.contains(&name.as_str());
            !is_meta && (*name == "spec" || is_required(&self.schema, name))
        });
        let fields = fields.map(|(name, schema)| (name.clone(), value(schema)));
        fields.collect()
    }
}

fn value(schema: &Value) -> Value {
    if let Some(default) = schema.get("default") {
        return default.clone();
    }
    if let Some(first) = schema["enum"]
        .as_array()
        .and_then(|values| values.iter().find(|value| !value.is_null()))
    {
        return first.clone();
    }
    match shape(schema) {
        Shape::Plain(Plain::Bool) => json!(false),
        Shape::Plain(Plain::DateTime) => json!("2026-01-01T00:00:00Z"),
        Shape::Plain(Plain::String) => text(schema),
        Shape::Plain(_) => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Shape::Enum(words) => words.first().cloned().unwrap_or_default(),
        Shape::List(items) => {
            let count = schema["minItems"].as_u64().unwrap_or_default();
            // More than one would have to differ.
            (0..count.min(1)).map(|_| value(items)).collect()
        }
        Shape::Map(_) | Shape::Any => json!({}),
        Shape::Struct | Shape::Known(_) => {
            let fields = properties(schema).filter(|(name, _)| is_required(schema, name));
            let fields = fields.map(|(name, schema)| (name.clone(), value(schema)));
            Value::Object(fields.collect())
        }
    }
}

fn text(schema: &Value) -> Value {
    let example = match schema["format"].as_str() {
        Some("uri") => "https://example.com",
        Some("email") => "web@example.com",
        Some("ipv4") => "192.0.2.1",
        Some("date") => "2026-01-01",
        _ => "example",
    };
    let limit = |keyword: &str| {
        schema[keyword]
            .as_u64()
            .and_then(|limit| usize::try_from(limit).ok())
    };
    let min = limit("minLength").unwrap_or_default();
    let max = limit("maxLength").unwrap_or(usize::MAX);
    let letters = example.chars().chain(std::iter::repeat('e'));
    let length = example.len().max(min.min(1000)).min(max);
    Value::String(letters.take(length).collect())
}
