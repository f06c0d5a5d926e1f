//! How server-side apply treats a value of a schema: as a scalar, a list whose items have keys, or a map.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::super::schema::{ListType, Schema, Type};

/// How a value is treated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Atom {
    Scalar,
    List,
    Map,
}

/// How a value of this schema is treated. If its type is wrong, the schema decides.
pub(super) fn atom(schema: &Schema, value: &Value) -> Atom {
    match schema.type_ {
        Type::Object => Atom::Map,
        Type::List => Atom::List,
        Type::Any => match value {
            Value::Array(_) => Atom::List,
            Value::Object(_) => Atom::Map,
            _ => Atom::Scalar,
        },
        _ => Atom::Scalar,
    }
}

/// Whether a list or a map is atomic: it is owned and replaced as a whole.
pub(super) fn is_atomic(schema: &Schema, atom: Atom) -> bool {
    match atom {
        Atom::Scalar => true,
        Atom::List => schema.type_ == Type::Any || schema.list == ListType::Atomic,
        Atom::Map => schema.is_atomic,
    }
}

/// The schema of a field or map entry. Values in a free-form object can have any type.
pub(super) fn below<'a>(schema: &'a Schema, key: &str) -> Option<&'a Arc<Schema>> {
    let is_free = schema.type_ == Type::Any
        || (schema.type_ == Type::Object && schema.fields.is_empty() && schema.values.is_none());
    match schema.child(key) {
        None if is_free => Some(&super::super::schema::ANY),
        child => child,
    }
}

/// The path element of a list item.
///
/// # Errors
/// If the item lacks a key of the list.
pub(super) fn element(list: &Schema, item: &Value) -> Result<String, String> {
    let ListType::Map(keys) = &list.list else {
        return match item {
            Value::Object(_) => {
                Err("associative list without keys has an element that's a map type".into())
            }
            Value::Array(_) => Err("not supported: associative list with lists as elements".into()),
            Value::Null => {
                Err("associative list without keys has an element that's an explicit null".into())
            }
            value => Ok(format!("v:{value}")),
        };
    };
    let Value::Object(fields) = item else {
        let what = if item.is_null() {
            "a null element"
        } else {
            "non-map elements"
        };
        return Err(format!("associative list with keys may not have {what}"));
    };
    let mut known = keys
        .iter()
        .filter_map(|key| Some((key, key_value(list, fields, key)?)))
        .collect::<Vec<_>>();
    if known.is_empty() {
        return Err(format!(
            "associative list with keys has an element that omits all key fields {keys:?} (and doesn't have default values for any key fields)"
        ).replace("\", \"", "\" \""));
    }
    known.sort();
    let known = known
        .into_iter()
        .map(|(key, value)| format!("{}:{value}", Value::from(&**key)));
    Ok(format!("k:{{{}}}", known.collect::<Vec<_>>().join(",")))
}

fn key_value(list: &Schema, fields: &Map<String, Value>, key: &str) -> Option<String> {
    if let Some(value) = fields.get(key) {
        return Some(value.to_string());
    }
    let field = list.item().fields.get(key)?;
    Some(field.default.as_ref()?.to_string())
}
