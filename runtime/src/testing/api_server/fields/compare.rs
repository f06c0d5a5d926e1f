//! Which fields differ between two objects.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Set;
use super::atom::{Atom, atom, below, element, is_atomic};
use crate::testing::api_server::schema::Schema;

/// The differences of a new object from an old one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Comparison {
    pub(crate) added: Set,
    pub(crate) modified: Set,
    pub(crate) removed: Set,
}

impl Comparison {
    /// Excludes fields and everything below them.
    pub(crate) fn without(&self, fields: &Set) -> Self {
        Self {
            added: self.added.without_below(fields),
            modified: self.modified.without_below(fields),
            removed: self.removed.without_below(fields),
        }
    }

    /// The fields that are new or have another value.
    pub(crate) fn changed(&self) -> Set {
        self.modified.union(&self.added)
    }
}

/// Compares two objects of a schema.
pub(crate) fn compare(schema: &Schema, old: &Value, new: &Value) -> Comparison {
    let mut comparison = Comparison::default();
    let mut path = Vec::new();
    walk(schema, Some(old), Some(new), &mut path, &mut comparison);
    comparison
}

fn walk(
    schema: &Schema,
    old: Option<&Value>,
    new: Option<&Value>,
    path: &mut Vec<String>,
    found: &mut Comparison,
) {
    let (of_old, of_new) = (
        old.map(|value| atom(schema, value)),
        new.map(|value| atom(schema, value)),
    );
    let mut is_leaf = false;
    let atoms = match (of_old, of_new) {
        (Some(old), Some(new)) if old != new => vec![old, new],
        (old, new) => vec![new.or(old).unwrap_or(Atom::Scalar)],
    };
    for kind in atoms {
        is_leaf |= walk_as(kind, schema, old, new, path, found);
    }
    if !is_leaf {
        match (old, new) {
            (None, _) => found.added.insert(path),
            (_, None) => found.removed.insert(path),
            _ => {}
        }
    }
}

/// Compares the items or entries. Returns true if the values are compared as a whole instead.
fn walk_as(
    kind: Atom,
    schema: &Schema,
    old: Option<&Value>,
    new: Option<&Value>,
    path: &mut Vec<String>,
    found: &mut Comparison,
) -> bool {
    let is_empty = |value: Option<&Value>| match value {
        Some(Value::Array(items)) => kind != Atom::List || items.is_empty(),
        Some(Value::Object(fields)) => kind != Atom::Map || fields.is_empty(),
        _ => true,
    };
    if is_atomic(schema, kind) || (is_empty(old) && is_empty(new)) {
        match (old, new) {
            (None, _) => found.added.insert(path),
            (_, None) => found.removed.insert(path),
            (Some(old), Some(new)) if old != new => found.modified.insert(path),
            _ => {}
        }
        return true;
    }
    match kind {
        Atom::List => list(schema, old, new, path, found),
        _ => map(schema, old, new, path, found),
    }
    false
}

fn map(
    schema: &Schema,
    old: Option<&Value>,
    new: Option<&Value>,
    path: &mut Vec<String>,
    found: &mut Comparison,
) {
    let (old, new) = (
        old.and_then(Value::as_object),
        new.and_then(Value::as_object),
    );
    let keys = old.into_iter().chain(new).flat_map(|fields| fields.keys());
    for key in keys.collect::<BTreeSet<_>>() {
        let Some(child) = below(schema, key) else {
            continue;
        };
        let (old, new) = (
            old.and_then(|old| old.get(key)),
            new.and_then(|new| new.get(key)),
        );
        path.push(format!("f:{key}"));
        walk(child, old, new, path, found);
        path.pop();
    }
}

fn list(
    schema: &Schema,
    old: Option<&Value>,
    new: Option<&Value>,
    path: &mut Vec<String>,
    found: &mut Comparison,
) {
    let (old, new) = (index(schema, old), index(schema, new));
    for key in old.keys().chain(new.keys()).collect::<BTreeSet<_>>() {
        path.push(key.clone());
        let of = |items: Option<&Vec<_>>| items.cloned().unwrap_or_default();
        match (&*of(old.get(key)), &*of(new.get(key))) {
            (old @ ([] | [_]), new @ ([] | [_])) => {
                walk(
                    schema.item(),
                    old.first().copied(),
                    new.first().copied(),
                    path,
                    found,
                );
            }
            (old @ ([] | [_]), _) => {
                if let Some(old) = old.first() {
                    walk(schema.item(), Some(*old), None, path, found);
                }
                found.added.insert(path);
            }
            (_, new @ ([] | [_])) => {
                if let Some(new) = new.first() {
                    walk(schema.item(), None, Some(*new), path, found);
                }
                found.removed.insert(path);
            }
            (old, new) if old != new => found.modified.insert(path),
            _ => {}
        }
        path.pop();
    }
}

fn index<'a>(schema: &Schema, list: Option<&'a Value>) -> BTreeMap<String, Vec<&'a Value>> {
    let mut found = BTreeMap::<_, Vec<_>>::new();
    for item in list.and_then(Value::as_array).into_iter().flatten() {
        if let Ok(element) = element(schema, item) {
            found.entry(element).or_default().push(item);
        }
    }
    found
}
