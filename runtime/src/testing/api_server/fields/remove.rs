//! Removes fields from an object.

use serde_json::{Map, Value};

use super::Set;
use super::atom::{Atom, atom, below, element, is_atomic};
use crate::testing::api_server::schema::Schema;

/// The object without the fields in a set.
pub(crate) fn remove(schema: &Schema, object: &Value, fields: &Set) -> Value {
    let kind = atom(schema, object);
    if kind == Atom::Scalar {
        return object.clone();
    }
    if is_atomic(schema, kind) {
        return Value::Null;
    }
    match object {
        Value::Array(items) => {
            let items = items
                .iter()
                .filter_map(|item| {
                    let Ok(element) = element(schema, item) else {
                        return Some(item.clone());
                    };
                    match fields.below(&element) {
                        _ if fields.has(&element) => None,
                        Some(below) => Some(remove(schema.item(), item, below)),
                        None => Some(item.clone()),
                    }
                })
                .collect::<Vec<_>>();
            if items.is_empty() {
                Value::Null
            } else {
                Value::Array(items)
            }
        }
        Value::Object(known) => {
            let mut rest = Map::new();
            for (name, value) in known {
                let element = format!("f:{name}");
                if fields.has(&element) {
                    continue;
                }
                let value = match (fields.below(&element), below(schema, name)) {
                    (Some(fields), Some(schema)) => remove(schema, value, fields),
                    _ => value.clone(),
                };
                rest.insert(name.clone(), value);
            }
            if rest.is_empty() {
                Value::Null
            } else {
                Value::Object(rest)
            }
        }
        _ => Value::Null,
    }
}
