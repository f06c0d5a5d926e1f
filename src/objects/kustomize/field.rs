//! Fields by their paths, as kustomize writes them: `spec/template/metadata/labels`.

use serde_json::{Map, Value};

use super::resource::Gvk;

/// A field of the objects of some kinds.
#[derive(Clone, Copy)]
pub(super) struct Field<'a> {
    pub(super) path: &'a str,
    /// Any if empty, as are the other two.
    pub(super) group: &'a str,
    pub(super) kind: &'a str,
    /// Whether it is made, with all above it, if it is missing.
    pub(super) create: bool,
}

impl Field<'_> {
    pub(super) fn is_of(&self, kind: &Gvk) -> bool {
        let matches = |expected: &str, found: &str| expected.is_empty() || expected == found;
        matches(self.group, &kind.group) && matches(self.kind, &kind.kind)
    }

    /// Calls `change` with each value at the path: what stands in a list is there more than once.
    ///
    /// # Errors
    /// Nothing if `change` gives nothing, or something on the way is null or no place for the rest of the path.
    pub(super) fn visit(
        &self,
        value: &mut Value,
        change: &mut dyn FnMut(&mut Value) -> Option<()>,
    ) -> Option<()> {
        let path: Vec<&str> = self.path.split('/').collect();
        visit(value, &path, self.create, change)
    }
}

fn visit(
    value: &mut Value,
    path: &[&str],
    create: bool,
    change: &mut dyn FnMut(&mut Value) -> Option<()>,
) -> Option<()> {
    let Some((field, rest)) = path.split_first() else {
        return change(value);
    };
    match value {
        Value::Array(items) => items
            .iter_mut()
            .try_for_each(|item| visit(item, path, create, change)),
        Value::Object(fields) => {
            if create && !fields.contains_key(*field) {
                fields.insert((*field).to_owned(), Value::Object(Map::new()));
            }
            match fields.get_mut(*field) {
                Some(Value::Null) => None,
                Some(value) => visit(value, rest, create, change),
                None => Some(()),
            }
        }
        _ => None,
    }
}
