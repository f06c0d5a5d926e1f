//! The fields of an object.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Set;
use super::atom::{Atom, atom, below, element, is_atomic};
use crate::testing::api_server::schema::Schema;

/// The set of fields that an object sets.
pub(crate) fn collect(schema: &Schema, object: &Value) -> Set {
    let mut set = Set::default();
    walk(schema, object, &mut Vec::new(), &mut set);
    set
}

fn walk(schema: &Schema, value: &Value, path: &mut Vec<String>, set: &mut Set) {
    let kind = atom(schema, value);
    if is_atomic(schema, kind) {
        set.insert(path);
        return;
    }
    match value {
        Value::Array(items) => list(schema, items, path, set),
        Value::Object(fields) => {
            for (name, value) in fields {
                let Some(child) = below(schema, name) else {
                    continue;
                };
                path.push(format!("f:{name}"));
                walk(child, value, path, set);
                let is_named = schema.fields.contains_key(name);
                let is_empty = value.as_object().is_some_and(serde_json::Map::is_empty);
                if value.is_null() || is_empty || !is_named {
                    set.insert(path);
                }
                path.pop();
            }
        }
        // A null list or map has no fields.
        _ => debug_assert!(kind != Atom::Scalar),
    }
}

fn list(schema: &Schema, items: &[Value], path: &mut Vec<String>, set: &mut Set) {
    let mut found = BTreeMap::<String, Vec<&Value>>::new();
    for item in items {
        if let Ok(element) = element(schema, item) {
            found.entry(element).or_default().push(item);
        }
    }
    for (element, items) in found {
        path.push(element);
        // Duplicate items are one value.
        if let [item] = *items {
            walk(schema.item(), item, path, set);
        }
        set.insert(path);
        path.pop();
    }
}
