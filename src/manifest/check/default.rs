//! Defaults: the API server refuses those that an object could not have.

use serde_json::Value;

use super::problem::Report;
use super::schema::{child, each, fields, is};
use super::validate;

const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";
const EMBEDDED: &str = "x-kubernetes-embedded-resource";

pub(super) fn check(schema: &Value, report: &mut Report<'_>) {
    walk(schema, "", true, report);
}

fn walk(schema: &Value, path: &str, is_root: bool, report: &mut Report<'_>) {
    let default = &schema["default"];
    if !default.is_null() {
        let unknown = unknown(default, schema, path);
        let fault = validate::fault(default, schema, path);
        if let Some(field) = unknown {
            report
                .refuse(
                    path,
                    format!("the default has `{field}`, which is not in the schema"),
                )
                .hint(
                    "use JSON field names in defaults, and remove fields that are not in the \
                    schema",
                );
        } else if let Some((field, rule)) = fault {
            let part = if field == path {
                String::new()
            } else {
                format!(" at `{field}`")
            };
            report
                .refuse(
                    path,
                    format!("the default {default} is not valid{part}: {rule}"),
                )
                .hint(
                    "change the default (`#[serde(default = \"…\")]`), or the rule that it breaks",
                );
        }
    }
    if schema["items"].is_object() {
        walk(&schema["items"], &each(path), false, report);
    }
    for (name, property) in fields(&schema["properties"]) {
        let is_metadata = is_root || is(schema, EMBEDDED);
        if !is_metadata || !["metadata", "kind", "apiVersion"].contains(&name.as_str()) {
            walk(property, &child(path, name), false, report);
        }
    }
}

/// A field of a value that the schema does not have, so that the API server would drop it.
fn unknown(value: &Value, schema: &Value, path: &str) -> Option<String> {
    let preserves = is(schema, PRESERVE);
    match value {
        Value::Object(members) => members.iter().find_map(|(name, value)| {
            let path = child(path, name);
            if is(schema, EMBEDDED) && ["metadata", "kind", "apiVersion"].contains(&name.as_str()) {
                return None;
            }
            let additional = &schema["additionalProperties"];
            match schema["properties"].get(name) {
                Some(property) => unknown(value, property, &path),
                None if additional.is_boolean() => any_field(value, &path),
                None if additional.is_object() => unknown(value, additional, &path),
                None => (!preserves).then_some(path),
            }
        }),
        Value::Array(items) if !preserves => items
            .iter()
            .find_map(|item| unknown(item, &schema["items"], &each(path))),
        _ => None,
    }
}

/// A field of any object in a value without a schema.
fn any_field(value: &Value, path: &str) -> Option<String> {
    match value {
        Value::Object(members) => members.keys().next().map(|name| child(path, name)),
        Value::Array(items) => items.iter().find_map(|item| any_field(item, &each(path))),
        _ => None,
    }
}
