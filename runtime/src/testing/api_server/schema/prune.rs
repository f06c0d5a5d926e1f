//! Prunes the fields of a custom resource that its schema does not have.

use serde_json::Value;

use super::{Schema, Type};

/// Prunes an object, except for its own metadata and that of embedded objects. Returns the paths of the removed fields.
pub(crate) fn prune(schema: &Schema, object: &mut Value) -> Vec<String> {
    let mut pruned = Vec::new();
    walk(schema, object, "", true, &mut pruned);
    pruned
}

fn walk(schema: &Schema, value: &mut Value, path: &str, is_root: bool, pruned: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            let is_object = is_root
                || schema
                    .custom
                    .as_ref()
                    .is_some_and(|known| known.is_embedded);
            let prefix = if path.is_empty() {
                String::new()
            } else {
                format!("{path}.")
            };
            fields.retain(|name, value| {
                if is_object && matches!(&**name, "apiVersion" | "kind" | "metadata") {
                    return true;
                }
                let path = format!("{prefix}{name}");
                match schema.child(name) {
                    Some(child) => walk(child, value, &path, false, pruned),
                    None if schema.keeps_unknown() => {}
                    None => {
                        pruned.push(path);
                        return false;
                    }
                }
                true
            });
        }
        Value::Array(items) if schema.type_ == Type::List => {
            for (index, item) in items.iter_mut().enumerate() {
                walk(
                    schema.item(),
                    item,
                    &format!("{path}[{index}]"),
                    false,
                    pruned,
                );
            }
        }
        _ => {}
    }
}
