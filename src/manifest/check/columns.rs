//! Print columns, the paths of `/scale`, and fields for selectors.

use std::collections::BTreeSet;

use serde_json::Value;

use super::problem::Report;
use super::schema::{list, text};

const TYPES: [&str; 5] = ["integer", "number", "string", "boolean", "date"];
const FORMATS: [&str; 8] = [
    "int32",
    "int64",
    "float",
    "double",
    "byte",
    "date",
    "date-time",
    "password",
];
const MAX_SELECTABLE: usize = 8;

pub(super) fn check(version: &Value, report: &mut Report<'_>) {
    for (at, column) in list(&version["additionalPrinterColumns"])
        .iter()
        .enumerate()
    {
        let field = format!("additionalPrinterColumns[{at}]");
        print_column(column, &field, report);
    }
    let scale = &version["subresources"]["scale"];
    if scale.is_object() {
        path(
            &scale["specReplicasPath"],
            &[".spec."],
            "specReplicasPath",
            report,
        );
        path(
            &scale["statusReplicasPath"],
            &[".status."],
            "statusReplicasPath",
            report,
        );
        if !text(&scale["labelSelectorPath"]).is_empty() {
            let roots = [".spec.", ".status."];
            path(
                &scale["labelSelectorPath"],
                &roots,
                "labelSelectorPath",
                report,
            );
        }
    }
    selectable(version, report);
}

fn print_column(column: &Value, field: &str, report: &mut Report<'_>) {
    let (kind, format) = (text(&column["type"]), text(&column["format"]));
    let json_path = text(&column["jsonPath"]);
    if text(&column["name"]).is_empty() {
        report.refuse(field, "a print column needs a name");
    }
    if !TYPES.contains(&kind) {
        report.refuse(
            field,
            format!(
                "the type `{kind}` of a print column must be one of {}",
                TYPES.join(", ")
            ),
        );
    }
    if !format.is_empty() && !FORMATS.contains(&format) {
        report.refuse(
            field,
            format!(
                "the format `{format}` of a print column must be one of {}",
                FORMATS.join(", ")
            ),
        );
    }
    if !json_path.starts_with('.') {
        report.refuse(
            field,
            format!("the path `{json_path}` of a print column must start with `.`"),
        );
    }
}

fn path(path: &Value, roots: &[&str], field: &str, report: &mut Report<'_>) {
    let path = text(path);
    if !roots.iter().any(|root| path.starts_with(root)) {
        report.refuse(
            &format!("subresources.scale.{field}"),
            format!("`{path}` must start with `{}`", roots.join("` or `")),
        );
    }
}

fn selectable(version: &Value, report: &mut Report<'_>) {
    let schema = &version["schema"]["openAPIV3Schema"];
    let mut found = BTreeSet::new();
    for (at, selectable) in list(&version["selectableFields"]).iter().enumerate() {
        let path = text(&selectable["jsonPath"]);
        let field = format!("selectableFields[{at}]");
        if path == ".metadata" || path.starts_with(".metadata.") {
            report.refuse(&field, format!("`{path}` is a path in the metadata"));
        }
        let kind = schema_at(schema, path).map(|schema| text(&schema["type"]));
        if !matches!(kind, Some("string" | "boolean" | "integer")) {
            report.refuse(
                &field,
                format!("`{path}` must be the path of a string, boolean or integer, such as `.spec.color`"),
            );
        }
        if !found.insert(path) {
            report.refuse(&field, format!("duplicate `{path}`"));
        }
    }
    if found.len() > MAX_SELECTABLE {
        report.refuse(
            "selectableFields",
            format!("must be at most {MAX_SELECTABLE}"),
        );
    }
}

/// The schema that a path of properties leads to.
fn schema_at<'a>(schema: &'a Value, path: &str) -> Option<&'a Value> {
    let mut found = schema;
    for name in path.strip_prefix('.')?.split('.') {
        found = match found.get("properties") {
            Some(properties) => properties.get(name)?,
            None => found.get("additionalProperties")?,
        };
    }
    Some(found)
}
