//! Decodes an object of a built-in kind like Go: unknown fields are dropped, a wrong type is an error, and the tags of
//! fields determine which zero values are written.

use serde_json::{Map, Value, json};

use super::{Presence, Schema, Type, bytes};

/// The findings of a decoder, in addition to the object.
#[derive(Default)]
pub(crate) struct Findings {
    /// The paths of fields that the kind does not have.
    pub(crate) unknown: Vec<String>,
}

/// The object in the API server's form.
///
/// # Errors
/// If a value does not have the type of its field.
pub(crate) fn decode(schema: &Schema, value: Value, found: &mut Findings) -> Result<Value, String> {
    read(schema, value, "", "", found)
}

fn read(
    schema: &Schema,
    value: Value,
    path: &str,
    owner: &str,
    found: &mut Findings,
) -> Result<Value, String> {
    if value.is_null() {
        return Ok(zero(schema));
    }
    let mismatch = |value: &Value| {
        let (type_, got) = (go_type(schema), json_type(value));
        Err(format!(
            "json: cannot unmarshal {got} into Go struct field {owner}{path} of type {type_}"
        ))
    };
    match (schema.type_, value) {
        (Type::Any, value) => Ok(value),
        (Type::Object, Value::Object(fields)) => object(schema, fields, path, owner, found),
        (Type::List, Value::Array(items)) => {
            let items = items.into_iter().enumerate().map(|(index, item)| {
                let strict = format!("{path}[{index}]");
                read(schema.item(), item, &strict, owner, found)
            });
            Ok(Value::Array(items.collect::<Result<_, _>>()?))
        }
        (Type::Quantity, Value::String(text)) => Ok(json!(super::super::quantity::canonical(&text)
            .ok_or("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")?)),
        (Type::Quantity, Value::Number(number)) => {
            let text = number.to_string();
            Ok(json!(super::super::quantity::canonical(&text).unwrap_or(text)))
        }
        (Type::Bytes, Value::String(text)) => bytes::canonical(&text)
            .map(Value::String)
            .map_err(|at| format!("illegal base64 data at input byte {at}")),
        (Type::String | Type::Time | Type::MicroTime | Type::IntOrString, value @ Value::String(_)) => {
            Ok(value)
        }
        (Type::IntOrString | Type::Int32 | Type::Int64, value) if value.is_i64() => Ok(value),
        (Type::Number, value) if value.is_number() => Ok(value),
        (Type::Bool, value) if value.is_boolean() => Ok(value),
        (_, value) => mismatch(&value),
    }
}

fn object(
    schema: &Schema,
    fields: Map<String, Value>,
    path: &str,
    of: &str,
    found: &mut Findings,
) -> Result<Value, String> {
    let mut result = Map::new();
    let prefix = if path.is_empty() {
        String::new()
    } else {
        format!("{path}.")
    };
    for (name, value) in fields {
        let Some(child) = schema.child(&name) else {
            found.unknown.push(format!("{prefix}{name}"));
            continue;
        };
        let owner = if schema.name.is_empty() {
            String::new()
        } else {
            format!("{}.", schema.name)
        };
        let is_pointer = schema
            .fields
            .get(&name)
            .is_some_and(|field| matches!(field.presence, Presence::Given | Presence::Null));
        if is_pointer && value.is_null() {
            continue;
        }
        let value = if schema.values.is_some() {
            // The message names the field of the map, not the key.
            read(child, value, path, of, found)?
        } else {
            read(child, value, &format!("{prefix}{name}"), &owner, found)?
        };
        result.insert(name, value);
    }
    fill(schema, &mut result);
    Ok(Value::Object(result))
}

/// Adds fields that are always written, and removes zero values that never are.
pub(crate) fn fill(schema: &Schema, object: &mut Map<String, Value>) {
    for (name, field) in &schema.fields {
        let is_empty = object
            .get(name)
            .is_none_or(|value| is_zero(&field.schema, value));
        match field.presence {
            Presence::Given if object.get(name).is_some_and(Value::is_null) => {
                object.remove(name);
            }
            Presence::NotZero if is_empty => {
                object.remove(name);
            }
            Presence::Always if !object.contains_key(name) => {
                object.insert(name.clone(), zero(&field.schema));
            }
            Presence::Null if !object.contains_key(name) => {
                object.insert(name.clone(), Value::Null);
            }
            _ => {}
        }
    }
}

fn is_zero(schema: &Schema, value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value && schema.type_ == Type::Bool,
        Value::Number(number) => number.as_f64() == Some(0.0) && schema.type_ != Type::IntOrString,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

/// The zero value of a type.
fn zero(schema: &Schema) -> Value {
    match schema.type_ {
        Type::Object if schema.values.is_none() => {
            let mut fields = Map::new();
            fill(schema, &mut fields);
            Value::Object(fields)
        }
        Type::String => json!(""),
        Type::Bool => json!(false),
        Type::Int32 | Type::Int64 | Type::Number | Type::IntOrString => json!(0),
        Type::Quantity => json!("0"),
        _ => Value::Null,
    }
}

fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn go_type(schema: &Schema) -> String {
    match schema.type_ {
        Type::Object if schema.values.is_some() => {
            let value = schema.values.as_ref().map(|value| go_type(value));
            format!("map[string]{}", value.unwrap_or_default())
        }
        Type::Object => format!("v1.{}", schema.name),
        Type::List => format!("[]{}", go_type(schema.item())),
        Type::Int32 => "int32".to_owned(),
        Type::Int64 => "int64".to_owned(),
        Type::Number => "float64".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Bytes => "[]uint8".to_owned(),
        _ => "string".to_owned(),
    }
}
