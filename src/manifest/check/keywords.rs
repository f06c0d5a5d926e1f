//! The keywords that a CRD's schemas can have.

use serde_json::Value;

use super::problem::Report;
use super::schema::{branches, child, each, fields, is, is_set, text};
use super::{list_type, rule};

const TYPES: [&str; 6] = ["string", "number", "integer", "boolean", "array", "object"];

/// Keywords that no schema can have, each with what to do.
const FORBIDDEN: [(&str, &str); 7] = [
    ("id", ""),
    ("$schema", ""),
    ("additionalItems", ""),
    (
        "patternProperties",
        "the keys of a map are strings: add `#[schemars(with = \"std::collections::BTreeMap<String, …>\")]` \
            with the type of the values",
    ),
    ("definitions", ""),
    ("dependencies", ""),
    (
        "$ref",
        "a type that contains itself has no schema in a CRD: add `#[schemars(with = \"serde_json::Value\", \
            extend(\"x-kubernetes-preserve-unknown-fields\" = true))]` to the field that does",
    ),
];

/// Where a schema is, as far as it matters.
#[derive(Clone, Copy, Default)]
struct SchemaScope {
    is_root: bool,
    in_metadata: bool,
    no_default: bool,
}

pub(super) fn check(schema: &Value, report: &mut Report<'_>) {
    let root = SchemaScope {
        is_root: true,
        ..SchemaScope::default()
    };
    walk(schema, "", root, report);
}

fn walk(schema: &Value, path: &str, place: SchemaScope, report: &mut Report<'_>) {
    let SchemaScope {
        in_metadata,
        no_default,
        ..
    } = place;
    of_one(schema, path, place, report);
    list_type::check(schema, path, report);
    rule::check(schema, path, report);
    let below = SchemaScope {
        is_root: false,
        in_metadata,
        no_default,
    };
    let additional = &schema["additionalProperties"];
    if additional.is_object() {
        let below = SchemaScope {
            no_default: no_default || in_metadata,
            ..below
        };
        walk(additional, &each(path), below, report);
    }
    let has_metadata = place.is_root || is(schema, "x-kubernetes-embedded-resource");
    for (name, property) in fields(&schema["properties"]) {
        let is_metadata =
            has_metadata && ["metadata", "kind", "apiVersion"].contains(&name.as_str());
        let below = SchemaScope {
            in_metadata: in_metadata || is_metadata,
            no_default: no_default || (is_metadata && place.is_root),
            ..below
        };
        walk(property, &child(path, name), below, report);
    }
    for (path, branch) in branches(schema, path) {
        walk(branch, &path, below, report);
    }
    if schema["items"].is_object() {
        walk(&schema["items"], &each(path), below, report);
    }
}

fn of_one(schema: &Value, path: &str, place: SchemaScope, report: &mut Report<'_>) {
    let kind = &schema["type"];
    if kind == "null" {
        report
            .refuse(path, "the type cannot be `null`")
            .hint("use `Option<T>`, which is `nullable`");
    } else if !kind.is_null() && kind != "" && !TYPES.contains(&text(kind)) {
        report.refuse(
            path,
            format!("the type {kind} is none of {}", TYPES.join(", ")),
        );
    }
    if !schema["default"].is_null() && place.no_default {
        report.refuse(path, "the metadata of an object cannot have a default");
    }
    for (key, hint) in FORBIDDEN
        .into_iter()
        .filter(|(key, _)| is_set(&schema[key]))
    {
        report
            .refuse(path, format!("`{key}` is not supported"))
            .hint(hint);
    }
    if schema["items"].is_array() {
        report
            .refuse(path, "`items` must be one schema, not a list of them")
            .hint("use `Vec<T>` or a struct in place of a tuple");
    }
    if place.in_metadata && is(schema, "x-kubernetes-embedded-resource") {
        report.refuse(
            path,
            "the metadata of an object cannot have an embedded one",
        );
    }
    if is(schema, "uniqueItems") {
        report.refuse(path, "`uniqueItems` must not be true").hint(
            "use `x-kubernetes-list-type: set`: `#[x_kube(merge_strategy = ListMerge::Set)]`",
        );
    }
    let additional = &schema["additionalProperties"];
    if is_set(&schema["properties"]) && (additional == false || additional.is_object()) {
        report
            .refuse(
                path,
                "cannot have both `properties` and `additionalProperties`",
            )
            .hint(
                "a CRD does not support a flattened map of one type: use a separate field or a \
                map of `serde_json::Value`, and remove `deny_unknown_fields`",
            );
    }
    if schema["x-kubernetes-preserve-unknown-fields"] == false {
        report.refuse(
            path,
            "`x-kubernetes-preserve-unknown-fields` must be true or absent",
        );
    }
}
