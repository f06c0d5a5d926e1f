//! What `allOf`, `anyOf`, `oneOf` and `not` may say: they narrow down what the schema around them has.

use serde_json::Value;

use super::pattern;
use super::problem::Report;
use super::schema::{branches, child, each, fields, is_int_or_string, is_set, list, text};

/// What only the schema around may say. A description is dropped by schemars' transforms as a rule.
const OF_THE_WHOLE: [&str; 12] = [
    "type",
    "default",
    "title",
    "description",
    "nullable",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
    "x-kubernetes-validations",
];

const TAGGED: &str = "usually caused by an internally tagged or untagged enum, or a type that is \
    not inlined: use an enum without `#[serde(tag, untagged)]`, or a struct with optional fields";

/// Checks the pattern and the branches of a schema.
pub(super) fn check(schema: &Value, path: &str, report: &mut Report<'_>) {
    value(schema, path, false, report);
}

/// Checks what a schema or a branch says of values.
fn value(schema: &Value, path: &str, skip_any_of: bool, report: &mut Report<'_>) {
    if let Some(Err(fault)) = schema["pattern"].as_str().map(pattern::check) {
        let pattern = text(&schema["pattern"]);
        report
            .refuse(path, format!("the pattern `{pattern}` {fault}"))
            .hint(
                "patterns use Go's RE2 syntax, without look-ahead, look-behind and \
                backreferences",
            );
    }
    let skip_any_of = skip_any_of || is_int_or_string(&schema["anyOf"]);
    let skip_first = list(&schema["allOf"])
        .first()
        .is_some_and(|branch| is_int_or_string(&branch["anyOf"]));
    for (place, part) in branches(schema, path) {
        let last = place.rsplit(' ').next().unwrap_or_default();
        if skip_any_of && last.starts_with("anyOf[") {
            continue;
        }
        let skip = skip_first && last == "allOf[0]";
        branch(part, &place, skip, report);
    }
}

fn branch(schema: &Value, path: &str, skip_any_of: bool, report: &mut Report<'_>) {
    value(schema, path, skip_any_of, report);
    let additional = &schema["additionalProperties"];
    let has_additional = *additional == true || additional.is_object();
    let found_keys = OF_THE_WHOLE.into_iter().filter(|key| says(schema, key));
    for key in found_keys.chain(has_additional.then_some("additionalProperties")) {
        report
            .refuse(path, format!("a branch cannot set `{key}`"))
            .hint(TAGGED);
    }
    if schema["items"].is_object() {
        branch(&schema["items"], &each(path), false, report);
    }
    for (name, property) in fields(&schema["properties"]) {
        let path = child(path, name);
        if name == "metadata" {
            report.refuse(&path, "a branch cannot constrain `metadata`");
        }
        branch(property, &path, false, report);
    }
}

/// Checks that the branches of the root schema are about fields that it has. An API server does not ask that of the
/// schemas in it.
pub(super) fn complete(root: &Value, report: &mut Report<'_>) {
    for (path, branch) in branches(root, "") {
        within(branch, root, &path, report);
    }
}

fn within(branch: &Value, around: &Value, path: &str, report: &mut Report<'_>) {
    let lacks = |what: &str| format!("a branch has {what} that is not in the enclosing schema");
    for (path, branch) in branches(branch, path) {
        within(branch, around, &path, report);
    }
    if branch["items"].is_object() {
        if around["items"].is_object() {
            within(&branch["items"], &around["items"], &each(path), report);
        } else {
            report.refuse(path, lacks("`items`"));
        }
    }
    for (name, property) in fields(&branch["properties"]) {
        let path = child(path, name);
        if let Some(around) = around["properties"].get(name) {
            within(property, around, &path, report);
        } else {
            report.refuse(&path, lacks("a property")).hint(TAGGED);
        }
    }
}

/// Whether a branch says something; an empty default is one.
fn says(schema: &Value, key: &str) -> bool {
    match key {
        "default" => !schema[key].is_null(),
        "x-kubernetes-list-type" | "x-kubernetes-map-type" => schema[key].is_string(),
        _ => is_set(&schema[key]),
    }
}
