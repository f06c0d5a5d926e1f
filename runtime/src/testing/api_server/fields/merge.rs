//! Merges an apply into an object.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::atom::{Atom, atom, below, element, is_atomic};
use crate::testing::api_server::schema::Schema;

/// The object after an apply.
pub(crate) fn merge(schema: &Schema, live: &Value, applied: &Value) -> Value {
    walk(schema, Some(live), Some(applied)).unwrap_or_default()
}

fn walk(schema: &Schema, live: Option<&Value>, applied: Option<&Value>) -> Option<Value> {
    let of_live = live.map(|value| atom(schema, value));
    let kind = match applied.map(|value| atom(schema, value)).or(of_live)? {
        // Null replaces a scalar, but not a list or a map.
        Atom::Scalar if applied.is_some_and(Value::is_null) => of_live.unwrap_or(Atom::Scalar),
        kind => kind,
    };
    let of_kind = |value: Option<&Value>| match value {
        Some(Value::Array(items)) => kind == Atom::List && !items.is_empty(),
        Some(Value::Object(fields)) => kind == Atom::Map && !fields.is_empty(),
        _ => false,
    };
    if is_atomic(schema, kind) || !(of_kind(live) || of_kind(applied)) {
        return applied.or(live).cloned();
    }
    let lists = (
        live.and_then(Value::as_array),
        applied.and_then(Value::as_array),
    );
    if kind == Atom::List {
        let empty = Vec::new();
        let (live, applied) = (lists.0.unwrap_or(&empty), lists.1.unwrap_or(&empty));
        return Some(Value::Array(list(schema, live, applied)));
    }
    let maps = (
        live.and_then(Value::as_object),
        applied.and_then(Value::as_object),
    );
    let empty = Map::new();
    let (live, applied) = (maps.0.unwrap_or(&empty), maps.1.unwrap_or(&empty));
    Some(Value::Object(map(schema, live, applied)))
}

fn map(
    schema: &Schema,
    live: &Map<String, Value>,
    applied: &Map<String, Value>,
) -> Map<String, Value> {
    let mut result = Map::new();
    let new = applied.keys().filter(|key| !live.contains_key(*key));
    for key in live.keys().chain(new) {
        let (live, applied) = (live.get(key), applied.get(key));
        let merged = match below(schema, key) {
            Some(child) => walk(child, live, applied),
            None => applied.or(live).cloned(),
        };
        if let Some(merged) = merged {
            result.insert(key.clone(), merged);
        }
    }
    result
}

/// Merges two lists: common items get the order of the apply, and items that only the live list has stay between their
/// neighbours.
fn list(schema: &Schema, live: &[Value], applied: &[Value]) -> Vec<Value> {
    let named = |items: &[Value]| -> Vec<(String, Value)> {
        let items = items
            .iter()
            .filter_map(|item| Some((element(schema, item).ok()?, item.clone())));
        items.collect()
    };
    let (live, applied) = (named(live), named(applied));
    let applied_by_name: BTreeMap<_, _> = applied.iter().map(|(name, item)| (name, item)).collect();
    let mut live_by_name = BTreeMap::new();
    for (name, item) in &live {
        live_by_name.entry(name).or_insert(item);
    }
    let mut shared = applied
        .iter()
        .map(|(name, _)| name)
        .filter(|name| live_by_name.contains_key(name));
    let mut next_shared = shared.next();
    let mut done = std::collections::BTreeSet::new();
    let mut result = Vec::new();
    let (mut left, mut right) = (0, 0);
    while left < live.len() || right < applied.len() {
        if let (Some((name, _)), Some((other, _))) = (live.get(left), applied.get(right)) {
            if name == other {
                done.insert(name);
                result.extend(walk(
                    schema.item(),
                    live_by_name.get(name).copied(),
                    applied_by_name.get(name).copied(),
                ));
                left += 1;
                right += 1;
                next_shared = shared.next();
                continue;
            }
            if applied_by_name.contains_key(name) && next_shared.is_some_and(|next| next != name) {
                // The apply has this item at another place.
                left += 1;
                continue;
            }
        }
        if let Some((name, item)) = live.get(left) {
            if !applied_by_name.contains_key(name) {
                result.extend(walk(schema.item(), Some(item), None));
                left += 1;
                continue;
            }
            if done.contains(name) {
                left += 1;
            }
        }
        if let Some((name, item)) = applied.get(right) {
            done.insert(name);
            result.extend(walk(
                schema.item(),
                live_by_name.get(name).copied(),
                Some(item),
            ));
            right += 1;
            if next_shared == Some(name) {
                next_shared = shared.next();
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::testing::api_server::schema::{ListType, Type};

    #[test]
    fn what_is_applied_gives_the_order() {
        let set = Schema {
            type_: Type::List,
            list: ListType::Set,
            items: Some(Arc::new(Schema {
                type_: Type::String,
                ..Schema::default()
            })),
            ..Schema::default()
        };
        let merged = |live: Value, applied: Value| merge(&set, &live, &applied);
        assert_eq!(
            merged(json!(["a", "b"]), json!(["b", "a"])),
            json!(["b", "a"])
        );
        assert_eq!(
            merged(json!(["x", "a", "y"]), json!(["b", "a"])),
            json!(["x", "b", "a", "y"])
        );
        assert_eq!(merged(json!(["a"]), json!(["c"])), json!(["a", "c"]));
        assert_eq!(merged(json!(["a"]), json!([])), json!(["a"]));
    }
}
