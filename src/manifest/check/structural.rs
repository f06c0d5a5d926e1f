//! The rules of structural schemas: each value has one type, which nothing around it changes.

use serde_json::Value;

use super::nested;
use super::problem::Report;
use super::schema::{child, each, fields, is, is_set, text};

/// Where a schema is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    Root,
    Item,
    Field,
}

const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";
const INT_OR_STRING: &str = "x-kubernetes-int-or-string";
const EMBEDDED: &str = "x-kubernetes-embedded-resource";

/// What makes a field of anything.
pub(super) const ANYTHING: &str = "if it may hold anything, add \
    `#[schemars(extend(\"x-kubernetes-preserve-unknown-fields\" = true))]`";

pub(super) fn check(schema: &Value, level: Level, path: &str, report: &mut Report<'_>) {
    of_type(schema, level, path, report);
    extensions(schema, path, report);
    metadata(schema, level, path, report);
    nested::check(schema, path, report);
    if level == Level::Root {
        nested::complete(schema, report);
    }
    if schema["items"].is_object() {
        check(&schema["items"], Level::Item, &each(path), report);
    }
    for (name, property) in fields(&schema["properties"]) {
        check(property, Level::Field, &child(path, name), report);
    }
    let additional = &schema["additionalProperties"];
    if !additional.is_null() && level == Level::Root {
        report.refuse(path, "`additionalProperties` cannot be at the root");
    }
    if additional.is_object() {
        check(additional, Level::Field, &each(path), report);
    }
}

fn of_type(schema: &Value, level: Level, path: &str, report: &mut Report<'_>) {
    let kind = text(&schema["type"]);
    if kind == "array" && schema["items"].is_null() {
        report
            .refuse(path, "an array must have `items`")
            .hint("use `Vec<T>` in place of a tuple or array of different types");
    }
    if level == Level::Root && kind != "object" {
        report.refuse(path, "the type at the root must be `object`");
    } else if is(schema, EMBEDDED) && kind != "object" {
        report.refuse(path, format!("`{EMBEDDED}` needs the type `object`"));
    } else if kind.is_empty()
        && !is(schema, INT_OR_STRING)
        && !is(schema, PRESERVE)
        && !is_set(&schema["$ref"])
    {
        report.refuse(path, "has no type").hint(ANYTHING);
    }
}

fn extensions(schema: &Value, path: &str, report: &mut Report<'_>) {
    if is(schema, INT_OR_STRING) && is(schema, PRESERVE) {
        report.refuse(
            path,
            format!("cannot have both `{INT_OR_STRING}` and `{PRESERVE}`"),
        );
    }
    if is(schema, INT_OR_STRING) && is(schema, EMBEDDED) {
        report.refuse(
            path,
            format!("cannot have both `{INT_OR_STRING}` and `{EMBEDDED}`"),
        );
    }
    if !is(schema, EMBEDDED) {
        return;
    }
    if !schema["additionalProperties"].is_null() {
        report.refuse(
            path,
            format!("`{EMBEDDED}` cannot have `additionalProperties`"),
        );
    }
    if !is(schema, PRESERVE) && !is_set(&schema["properties"]) {
        report
            .refuse(
                path,
                format!("`{EMBEDDED}` needs `properties` or `{PRESERVE}`"),
            )
            .hint(format!("add `#[schemars(extend(\"{PRESERVE}\" = true))]`"));
    }
}

/// The API server knows the metadata of objects itself.
fn metadata(schema: &Value, level: Level, path: &str, report: &mut Report<'_>) {
    let properties = &schema["properties"];
    if level != Level::Root && !is(schema, EMBEDDED) {
        return;
    }
    for (name, kind) in [
        ("kind", "string"),
        ("apiVersion", "string"),
        ("metadata", "object"),
    ] {
        if !properties[name].is_null() && properties[name]["type"] != kind {
            report.refuse(&child(path, name), format!("must have the type `{kind}`"));
        }
    }
    if level == Level::Root
        && !properties["metadata"].is_null()
        && !is_implicit(&properties["metadata"])
    {
        report.refuse(
            &child(path, "metadata"),
            "must have nothing but `type: object`, and properties `name` and `generateName`",
        );
    }
}

fn is_implicit(metadata: &Value) -> bool {
    fields(metadata)
        .filter(|(_, value)| is_set(value))
        .all(|(key, value)| match key.as_str() {
            "type" | "default" => true,
            "properties" => {
                fields(value).all(|(name, _)| ["name", "generateName"].contains(&name.as_str()))
            }
            _ => false,
        })
}
