//! A strategic merge: a patch looks like a part of the object that it changes.

use serde_json::{Map, Value};

use super::budget::Budget;
use super::merge_keys::{Keys, keys};

/// Merges a patch into an object of a kind. None if it says more than values.
pub(super) fn merge(object: &mut Value, patch: &Value, kind: &str, budget: &Budget) -> Option<()> {
    merge_at(object, patch, kind, "", budget)
}

fn merge_at(
    object: &mut Value,
    patch: &Value,
    kind: &str,
    path: &str,
    budget: &Budget,
) -> Option<()> {
    match patch {
        Value::Object(fields) => {
            if !object.is_object() {
                *object = Value::Object(Map::new());
            }
            let found = object.as_object_mut()?;
            for (field, value) in fields {
                if field.starts_with('$') {
                    return None;
                }
                if value.is_null() {
                    found.remove(field);
                    continue;
                }
                let path = match path {
                    "" => field.clone(),
                    path => format!("{path}/{field}"),
                };
                let place = found.entry(field.clone()).or_insert(Value::Null);
                merge_at(place, value, kind, &path, budget)?;
            }
        }
        Value::Array(items) => match keys(kind, path) {
            Keys::Fields(keys) => merge_lists(object, items, keys, (kind, path), budget)?,
            Keys::Unknown if object.as_array().is_some_and(|items| !items.is_empty()) => {
                return None;
            }
            Keys::Unknown | Keys::None => {
                *object = Value::Array(items.iter().map(plain).collect::<Option<_>>()?);
            }
        },
        value => *object = value.clone(),
    }
    Some(())
}

/// Merges items that agree in their keys. Those of the patch come first.
fn merge_lists(
    object: &mut Value,
    items: &[Value],
    keys: &[&str],
    (kind, path): (&str, &str),
    budget: &Budget,
) -> Option<()> {
    if object.is_null() {
        *object = Value::Array(Vec::new());
    }
    let found = object.as_array_mut()?;
    let all = || found.iter().chain(items);
    // A key that nobody uses tells nothing apart.
    let has = |key: &&&str| all().any(|item| item.get(**key).is_some());
    let keys: Vec<&str> = keys.iter().filter(has).copied().collect();
    if keys.is_empty() || !all().all(|item| keys.iter().all(|key| item.get(key).is_some())) {
        return None;
    }
    let mut merged = Vec::new();
    for item in items {
        budget.spend(found.len())?;
        let is_same = |other: &Value| keys.iter().all(|key| other.get(key) == item.get(key));
        let position = found.iter().position(is_same);
        if item.get("$patch").is_some_and(|order| order == "delete") {
            if let Some(position) = position {
                found.remove(position);
            }
            continue;
        }
        let mut place = position.map_or(Value::Null, |position| found.remove(position));
        merge_at(&mut place, item, kind, path, budget)?;
        merged.push(place);
    }
    merged.append(found);
    *found = merged;
    Some(())
}

/// A value of a list that takes the place of another: nothing in it may be an order.
fn plain(value: &Value) -> Option<Value> {
    match value {
        Value::Object(fields) => {
            let is_plain = |(field, value): (&String, &Value)| {
                !field.starts_with('$') && plain(value).is_some()
            };
            fields.iter().all(is_plain).then(|| value.clone())
        }
        Value::Array(items) => items
            .iter()
            .map(plain)
            .collect::<Option<Vec<_>>>()
            .map(Value::Array),
        Value::Null => None,
        value => Some(value.clone()),
    }
}
