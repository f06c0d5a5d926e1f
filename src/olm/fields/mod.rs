//! The fields of a `ClusterServiceVersion` and of a CRD: those that are unknown, and those of another type.

mod kind;
mod quantity;

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::suggest::nearest;

use super::read::Node;
use kind::Kind;

/// The types of the fields, as text.
const TABLE: &str = include_str!("table.txt");

/// The type of a whole `ClusterServiceVersion`.
const CSV: &str = "ClusterServiceVersion";

/// The type of a whole `CustomResourceDefinition`.
const CRD: &str = "CustomResourceDefinition";

/// The types that have fields, each with its fields and their types.
type Types = HashMap<&'static str, HashMap<&'static str, Kind>>;

static TYPES: LazyLock<Types> = LazyLock::new(|| types(TABLE));

/// What is wrong with a field.
#[derive(Debug)]
pub(super) enum Fault {
    /// OLM does not know it. There may be one that is meant.
    Unknown(Option<&'static str>),
    /// It must have a type with this name.
    Type(String),
}

/// What is wrong with the fields of a `ClusterServiceVersion`. Below them nothing is looked at.
pub(super) fn of_csv<'a>(csv: &Node<'a>) -> Vec<(Node<'a>, Fault)> {
    faults(csv, CSV)
}

/// The same for a CRD.
pub(super) fn of_crd<'a>(crd: &Node<'a>) -> Vec<(Node<'a>, Fault)> {
    faults(crd, CRD)
}

fn faults<'a>(object: &Node<'a>, kind: &'static str) -> Vec<(Node<'a>, Fault)> {
    let mut faults = Vec::new();
    find(object, &Kind::Object(kind), &TYPES, &mut faults);
    faults
}

fn find<'a>(node: &Node<'a>, kind: &Kind, types: &Types, faults: &mut Vec<(Node<'a>, Fault)>) {
    if !kind.has(node.value) {
        faults.push((node.clone(), Fault::Type(kind.name())));
        return;
    }
    match kind {
        Kind::List(kind) => {
            for item in node.items() {
                find(&item, kind, types, faults);
            }
        }
        Kind::Map(kind) => {
            for (_, value) in node.fields() {
                find(&value, kind, types, faults);
            }
        }
        Kind::Either(kinds) => {
            if let Some(kind) = kinds.iter().find(|kind| kind.has(node.value)) {
                find(node, kind, types, faults);
            }
        }
        Kind::Object(kind) => {
            let Some(fields) = types.get(kind) else {
                return;
            };
            for (name, node) in node.fields() {
                if let Some(kind) = fields.get(name) {
                    find(&node, kind, types, faults);
                } else {
                    let nearest = nearest(name, fields.keys().copied());
                    faults.push((node, Fault::Unknown(nearest)));
                }
            }
        }
        _ => {}
    }
}

fn types(table: &'static str) -> Types {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    let mut types = Types::new();
    let mut current = CSV;
    for word in lines.flat_map(str::split_whitespace) {
        if let Some(name) = word.strip_suffix(':') {
            current = name;
            types.entry(current).or_default();
            continue;
        }
        let (field, kind) = word.split_once('=').unwrap_or((word, "string"));
        let fields = types.entry(current).or_default();
        fields.insert(field, Kind::read(kind));
    }
    types
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [`find`] looks at nothing below a type that the table does not have.
    #[test]
    fn each_type_is_defined() {
        fn check(kind: &Kind, types: &Types) {
            match kind {
                Kind::List(kind) | Kind::Map(kind) => check(kind, types),
                Kind::Either(kinds) => kinds.iter().for_each(|kind| check(kind, types)),
                Kind::Object(name) => assert!(types.contains_key(name), "{name}"),
                _ => {}
            }
        }
        let types = types(TABLE);
        assert!(types.contains_key(CSV) && types.contains_key(CRD));
        let fields = types.values().flat_map(HashMap::values);
        fields.for_each(|kind| check(kind, &types));
    }
}
