//! Whether an apply matches the schema.

use std::collections::BTreeSet;

use serde_json::Value;

use super::atom::{Atom, atom, below, element, is_atomic};
use super::set::readable;
use crate::testing::api_server::schema::{Schema, Type};

/// The first mismatch, in the API server's words. `None` if there is none.
pub(crate) fn validate(schema: &Schema, object: &Value) -> Option<String> {
    let mut errors = Vec::new();
    walk(schema, object, "", &mut errors);
    match &*errors {
        [] => None,
        [error] => Some(error.clone()),
        errors => Some(format!("errors:\n  {}", errors.join("\n  "))),
    }
}

fn walk(schema: &Schema, value: &Value, path: &str, errors: &mut Vec<String>) {
    let error = match (atom(schema, value), value) {
        (_, Value::Null) => return,
        (Atom::Map, Value::Object(fields)) => {
            for (name, value) in fields {
                let path = format!("{path}.{name}");
                let Some(child) = below(schema, name) else {
                    errors.push(format!("{path}: field not declared in schema"));
                    return;
                };
                walk(child, value, &path, errors);
            }
            return;
        }
        (Atom::List, Value::Array(items)) => return list(schema, items, path, errors),
        (Atom::Map, value) => Some(format!("expected map, got &{{{}}}", plain(value))),
        (Atom::List, value) => Some(format!("expected list, got &{{{}}}", plain(value))),
        (Atom::Scalar, value) => scalar(schema, value),
    };
    errors.extend(error.map(|text| at(path, &text)));
}

fn list(schema: &Schema, items: &[Value], path: &str, errors: &mut Vec<String>) {
    let is_atomic = is_atomic(schema, Atom::List);
    let mut seen = BTreeSet::new();
    for (index, item) in items.iter().enumerate() {
        let element = match element(schema, item) {
            _ if is_atomic => format!("[{index}]"),
            Ok(element) => readable(&element),
            Err(error) => {
                errors.push(at(path, &format!("element {index}: {error}")));
                return;
            }
        };
        let below = format!("{path}{element}");
        if seen.contains(&element) {
            errors.push(at(path, &format!("duplicate entries for key {element}")));
        }
        seen.insert(element);
        walk(schema.item(), item, &below, errors);
    }
}

fn at(path: &str, text: &str) -> String {
    match path {
        "" => text.to_owned(),
        path => format!("{path}: {text}"),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

fn scalar(schema: &Schema, value: &Value) -> Option<String> {
    let go = match value {
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
        _ => "string",
    };
    match schema.type_ {
        Type::Int32 | Type::Int64 | Type::Number if !value.is_number() => {
            Some(format!("expected numeric (int or float), got {go}"))
        }
        Type::Bool if !value.is_boolean() => {
            Some(format!("expected boolean, got &{{{}}}", plain(value)))
        }
        Type::String | Type::Bytes | Type::Time | Type::MicroTime if !value.is_string() => {
            let value = plain(value);
            Some(format!(
                "expected string, got &value.valueUnstructured{{Value:{value}}}"
            ))
        }
        Type::IntOrString | Type::Quantity if value.is_array() || value.is_object() => {
            Some(format!("expected any scalar, got &{{{}}}", plain(value)))
        }
        _ => None,
    }
}
