//! A version of a kind.

use serde_json::{Value, json};

use super::problem::Report;
use super::schema::{is_set, text};
use super::structural::Level;
use super::{cel, columns, default, keywords, names, structural};

/// The keys of a root schema beside which `status` can be a subresource.
const AT_ROOT: [&str; 23] = [
    "description",
    "type",
    "format",
    "title",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "multipleOf",
    "required",
    "items",
    "properties",
    "externalDocs",
    "example",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-validations",
    // Said below in its own words.
    "nullable",
];

pub(super) fn check(version: &Value, report: &mut Report<'_>) {
    names::label(text(&version["name"]), "versions.name", report);
    deprecation(version, report);
    columns::check(version, report);
    let schema = &version["schema"]["openAPIV3Schema"];
    if !schema.is_object() {
        report.refuse("schema.openAPIV3Schema", "a version must have a schema");
        return;
    }
    if is_set(&version["subresources"]["status"]) || version["subresources"]["status"].is_object() {
        root_of_status(schema, report);
    }
    if schema["nullable"] == true {
        report.refuse("", "an object cannot be `nullable`");
    }
    let before = report.count();
    structural::check(schema, Level::Root, "", report);
    keywords::check(schema, report);
    if report.count() > before {
        return;
    }
    default::check(schema, report);
    if report.count() == before {
        cel::check(schema, report);
    }
}

fn deprecation(version: &Value, report: &mut Report<'_>) {
    let Some(warning) = version["deprecationWarning"].as_str() else {
        return;
    };
    let rule = if version["deprecated"] != json!(true) {
        "only a deprecated version can have a warning"
    } else if warning.is_empty() || warning.len() > 256 {
        "must have 1 to 256 bytes"
    } else if warning.chars().any(char::is_control) {
        "must have printable characters only"
    } else {
        return;
    };
    report.refuse("deprecationWarning", rule);
}

fn root_of_status(schema: &Value, report: &mut Report<'_>) {
    let keys = schema.as_object().into_iter().flatten();
    for (key, _) in keys.filter(|(key, value)| is_set(value) && !AT_ROOT.contains(&key.as_str())) {
        report
            .refuse(
                "",
                format!("`{key}` cannot be at the root of a schema whose status is a subresource"),
            )
            .hint("move it into the schema of `spec`");
    }
}
