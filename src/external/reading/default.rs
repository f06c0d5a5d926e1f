//! Defaults: values that their own schema must allow.

use serde_json::Value;

use super::form::{Fault, at, shown};
use crate::external::keywords::{is_open, properties};

/// Checks a value against the types, the enums and the fields of a schema. `path` is that of the value.
pub(super) fn check(value: &Value, schema: &Value, path: &str) -> Result<(), Fault> {
    if value.is_null() {
        return Ok(());
    }
    if schema["x-kubernetes-int-or-string"] == true {
        return if value.is_string() || value.is_i64() {
            Ok(())
        } else {
            wrong(path, "an integer or a string", value)
        };
    }
    let type_ = schema["type"].as_str().unwrap_or_default();
    let is_of_type = match type_ {
        "array" => value.is_array(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64(),
        "number" => value.is_number(),
        "object" => value.is_object(),
        "string" => value.is_string(),
        _ => true,
    };
    if !is_of_type {
        return wrong(path, &format!("of the type `{type_}`"), value);
    }
    if let Some(words) = schema["enum"].as_array()
        && !words.is_empty()
        && !words.contains(value)
    {
        let rule = format!(
            "must be one of the values of `enum`, but is {}",
            shown(value)
        );
        return Err(Fault::new(path, rule));
    }
    match value {
        Value::Array(items) => {
            let mut items = items.iter().enumerate();
            items.try_for_each(|(index, item)| {
                check(item, &schema["items"], &format!("{path}[{index}]"))
            })
        }
        Value::Object(fields) => {
            let mut fields = fields.iter();
            fields.try_for_each(|(name, value)| field(name, value, schema, path))
        }
        _ => Ok(()),
    }
}

fn field(name: &str, value: &Value, schema: &Value, path: &str) -> Result<(), Fault> {
    let path = at(path, name);
    let property = properties(schema).find(|(property, _)| *property == name);
    match (property, &schema["additionalProperties"]) {
        (Some((_, property)), _) => check(value, property, &path),
        (None, values @ Value::Object(_)) => check(value, values, &path),
        (None, Value::Bool(true)) => Ok(()),
        _ if is_open(schema) || schema["x-kubernetes-embedded-resource"] == true => Ok(()),
        _ => Err(Fault::new(path, "is not in the schema")),
    }
}

fn wrong(path: &str, expected: &str, value: &Value) -> Result<(), Fault> {
    let rule = format!("must be {expected}, but is {}", shown(value));
    Err(Fault::new(path, rule))
}
