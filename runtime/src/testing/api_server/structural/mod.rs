//! Validates values against the schema of a CRD.

mod combined;
mod lists;
mod scalars;

use serde_json::{Map, Value, json};

use super::failure::{FieldError, Wrong};
use super::schema::Schema;
use combined::combined;
use lists::lists;
use scalars::{number, one_of, size, string};

/// The errors of an object. Unchanged parts of an update are not validated.
pub(super) fn check(schema: &Schema, object: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    value(schema, object, old, "", &mut errors);
    lists(schema, object, "", &mut errors);
    errors
}

fn source(schema: &Schema) -> &Value {
    schema
        .custom
        .as_ref()
        .map_or(&Value::Null, |custom| &custom.source)
}

fn value(
    schema: &Schema,
    value_of: &Value,
    old: Option<&Value>,
    path: &str,
    errors: &mut Vec<FieldError>,
) {
    let source = source(schema);
    if source.is_null() || (old == Some(value_of) && !path.is_empty()) {
        return;
    }
    let before = errors.len();
    if !has_type(source, value_of) {
        let expected = source["type"].as_str().unwrap_or("integer,string");
        let got = type_name(value_of);
        let detail = format!("{path} in body must be of type {expected}: {got:?}");
        errors.push(FieldError::new(Wrong::Type, path, json!(got), detail));
        combined(source, value_of, path, errors);
        return;
    }
    match value_of {
        Value::String(text) => string(source, text, path, errors),
        Value::Number(_) => number(source, value_of, path, errors),
        Value::Array(items) => {
            size(
                source,
                ["minItems", "maxItems"],
                "items",
                items.len(),
                path,
                errors,
            );
            for (index, item) in items.iter().enumerate() {
                let old = old.and_then(|old| old.get(index));
                value(
                    schema.item(),
                    item,
                    old,
                    &format!("{path}[{index}]"),
                    errors,
                );
            }
        }
        Value::Object(fields) => object(schema, fields, old, path, errors),
        _ => {}
    }
    if errors.len() == before
        && let Some(allowed) = source["enum"].as_array()
    {
        one_of(allowed, value_of, path, errors);
    }
    combined(source, value_of, path, errors);
}

fn object(
    schema: &Schema,
    fields: &Map<String, Value>,
    old: Option<&Value>,
    path: &str,
    errors: &mut Vec<FieldError>,
) {
    let source = source(schema);
    size(
        source,
        ["minProperties", "maxProperties"],
        "properties",
        fields.len(),
        path,
        errors,
    );
    let required = source["required"].as_array().into_iter().flatten();
    for name in required.filter_map(Value::as_str) {
        if !fields.contains_key(name) {
            errors.push(FieldError::required(&below(path, name), ""));
        }
    }
    for (name, value_of) in fields {
        let is_identity = path.is_empty() && matches!(&**name, "apiVersion" | "kind" | "metadata");
        if let Some(child) = schema.child(name).filter(|_| !is_identity) {
            let old = old.and_then(|old| old.get(name));
            value(child, value_of, old, &below(path, name), errors);
        }
    }
}

fn has_type(source: &Value, value: &Value) -> bool {
    if value.is_null() && source["nullable"] == true {
        return true;
    }
    if source["x-kubernetes-int-or-string"] == true {
        return value.is_string() || is_integer(value);
    }
    match source["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => is_integer(value),
        Some("number") => value.is_number(),
        _ => true,
    }
}

fn is_integer(value: &Value) -> bool {
    value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) if is_integer(value) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn below(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}
