//! The fields of a `ClusterServiceVersion`, and those that it has without OLM knowing them.

use std::collections::HashMap;

use crate::suggest::nearest;

use super::read::Node;

/// The types of the fields, as text.
const TABLE: &str = include_str!("table.txt");

/// The type of a whole `ClusterServiceVersion`.
const ROOT: &str = "ClusterServiceVersion";

/// The fields of a type, each with its own type, if it has fields.
type Fields = HashMap<&'static str, Option<&'static str>>;

/// A field that OLM does not know.
#[derive(Debug)]
pub(super) struct Unknown<'a> {
    pub(super) node: Node<'a>,
    /// The known field that is probably meant.
    pub(super) nearest: Option<&'static str>,
}

/// The fields of a `ClusterServiceVersion` that OLM does not know, and drops. Nothing below them is listed.
pub(super) fn unknown<'a>(csv: &Node<'a>) -> Vec<Unknown<'a>> {
    let mut unknown = Vec::new();
    find(csv, ROOT, &types(TABLE), &mut unknown);
    unknown
}

fn find<'a>(
    node: &Node<'a>,
    kind: &str,
    types: &HashMap<&str, Fields>,
    unknown: &mut Vec<Unknown<'a>>,
) {
    for item in node.items() {
        find(&item, kind, types, unknown);
    }
    let fields = &types[kind];
    for (name, node) in node.fields() {
        match fields.get(name) {
            Some(Some(kind)) => find(&node, kind, types, unknown),
            Some(None) => {}
            None => unknown.push(Unknown {
                node,
                nearest: nearest(name, fields.keys().copied()),
            }),
        }
    }
}

fn types(table: &'static str) -> HashMap<&'static str, Fields> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    let mut types: HashMap<_, Fields> = HashMap::new();
    let mut current = ROOT;
    for word in lines.flat_map(str::split_whitespace) {
        if let Some(name) = word.strip_suffix(':') {
            current = name;
            continue;
        }
        let (field, kind) = match word.split_once('=') {
            Some((field, kind)) => (field, Some(kind)),
            None => (word, None),
        };
        types.entry(current).or_default().insert(field, kind);
    }
    types
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [`find`] relies on both: it ends, and each type is defined.
    #[test]
    fn each_type_has_fields_and_none_is_in_itself() {
        fn depth(kind: &str, types: &HashMap<&str, Fields>, around: &[&str]) {
            assert!(!around.contains(&kind), "{around:?} {kind}");
            let around = [around, &[kind]].concat();
            for inner in types[kind].values().flatten() {
                depth(inner, types, &around);
            }
        }
        depth(ROOT, &types(TABLE), &[]);
    }
}
