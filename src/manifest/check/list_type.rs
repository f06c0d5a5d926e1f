//! Lists that are sets or maps, and maps that are atomic.

use std::collections::BTreeSet;

use serde_json::Value;

use super::problem::Report;
use super::schema::{child, each, is, is_set, list, names, text};

const LIST_TYPE: &str = "x-kubernetes-list-type";
const MAP_TYPE: &str = "x-kubernetes-map-type";
const MAP_KEYS: &str = "x-kubernetes-list-map-keys";

pub(super) fn check(schema: &Value, path: &str, report: &mut Report<'_>) {
    let kind = text(&schema["type"]);
    if let Some(map_type) = schema[MAP_TYPE].as_str() {
        if kind != "object" {
            report.refuse(path, format!("`{MAP_TYPE}` needs the type `object`"));
        }
        if !["atomic", "granular"].contains(&map_type) {
            report.refuse(
                path,
                format!("`{MAP_TYPE}: {map_type}` is neither `atomic` nor `granular`"),
            );
        }
    }
    let list_type = schema[LIST_TYPE].as_str();
    if is_set(&schema[MAP_KEYS]) && list_type != Some("map") {
        report.refuse(path, format!("`{MAP_KEYS}` needs `{LIST_TYPE}: map`"));
    }
    let Some(list_type) = list_type else {
        return;
    };
    if kind != "array" {
        report.refuse(path, format!("`{LIST_TYPE}` needs the type `array`"));
    }
    let items = &schema["items"];
    match list_type {
        "set" => set(items, kind, path, report),
        "map" => map(schema, path, report),
        "atomic" => return,
        _ => {
            report.refuse(
                path,
                format!("`{LIST_TYPE}: {list_type}` is none of `atomic`, `set`, `map`"),
            );
            return;
        }
    }
    if is(items, "nullable") {
        report.refuse(
            &each(path),
            format!("the items of a {list_type} cannot be `nullable`"),
        );
    }
}

fn set(items: &Value, kind: &str, path: &str, report: &mut Report<'_>) {
    let is_atomic = match text(&items["type"]) {
        "array" => items[LIST_TYPE].is_null() || items[LIST_TYPE] == "atomic",
        "object" => items[MAP_TYPE] == "atomic",
        _ => true,
    };
    if kind == "array" && !is_atomic {
        report
            .refuse(path, "the items of a set must be scalars, or atomic")
            .hint("use `ListMerge::Map` with the fields that identify an item, or `ListMerge::Atomic`");
    }
}

fn map(schema: &Value, path: &str, report: &mut Report<'_>) {
    let (items, keys) = (&schema["items"], list(&schema[MAP_KEYS]));
    if keys.is_empty() {
        report
            .refuse(path, format!("`{LIST_TYPE}: map` needs `{MAP_KEYS}`"))
            .hint(
                "name the fields that identify an item: `#[x_kube(merge_strategy = \
                ListMerge::Map(vec![\"name\".into()]))]`",
            );
    }
    if items["type"] != "object" {
        report.refuse(path, "the items of a list that is a map must be objects");
        return;
    }
    let mut seen = BTreeSet::new();
    for key in keys.iter().map(text) {
        if !seen.insert(key) {
            report.refuse(path, format!("duplicate key `{key}`"));
        }
        let Some(property) = items["properties"].get(key) else {
            report
                .refuse(
                    path,
                    format!("the key `{key}` is not a property of the items"),
                )
                .hint("use the JSON field name, such as `containerPort`");
            continue;
        };
        let field = child(&each(path), key);
        if ["array", "object"].contains(&text(&property["type"])) {
            report.refuse(&field, "a key must be a scalar");
        }
        if !names(&items["required"], key) && property["default"].is_null() {
            report
                .refuse(&field, "a key must be required, or have a default")
                .hint(format!(
                    "do not use `Option` for `{key}`, or set a default with \
                    `#[serde(default = \"…\")]`"
                ));
        }
        if is(property, "nullable") {
            report
                .refuse(&field, "a key cannot be `nullable`")
                .hint(format!("do not use `Option` for `{key}`"));
        }
    }
}
