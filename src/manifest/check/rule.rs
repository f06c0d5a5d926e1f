//! What `x-kubernetes-validations` has beside its expressions.

use serde_json::Value;

use super::problem::Report;
use super::schema::{list, text};

const REASONS: [&str; 4] = [
    "FieldValueRequired",
    "FieldValueForbidden",
    "FieldValueInvalid",
    "FieldValueDuplicate",
];

pub(super) fn check(schema: &Value, path: &str, report: &mut Report<'_>) {
    for (at, rule) in list(&schema["x-kubernetes-validations"]).iter().enumerate() {
        let path = place(path, at);
        let (expression, message) = (text(&rule["rule"]).trim(), text(&rule["message"]));
        if expression.is_empty() {
            report.refuse(&path, "missing `rule`");
        } else if !message.is_empty() && message.trim().is_empty() {
            report.refuse(&path, "`message` is blank");
        } else if has_newline(message.trim()) {
            report.refuse(&path, "`message` must be one line");
        } else if has_newline(expression) && message.trim().is_empty() {
            report.refuse(&path, "a rule of several lines needs a `message`");
        }
        if is_blank(&rule["messageExpression"]) {
            report.refuse(&path, "`messageExpression` is blank");
        }
        if let Some(reason) = rule["reason"].as_str()
            && !REASONS.contains(&reason)
        {
            report.refuse(
                &path,
                format!("the reason `{reason}` is none of {}", REASONS.join(", ")),
            );
        }
        let field = text(&rule["fieldPath"]);
        if is_blank(&rule["fieldPath"]) || has_newline(field) {
            report.refuse(&path, "`fieldPath` must be one line");
        } else if !field.is_empty() && leads_nowhere(schema, field) {
            report.refuse(
                &path,
                format!("`fieldPath` `{field}` does not point to a field"),
            );
        }
    }
}

/// The place of a rule.
pub(super) fn place(path: &str, at: usize) -> String {
    format!("{path} x-kubernetes-validations[{at}]")
}

fn is_blank(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|text| !text.is_empty() && text.trim().is_empty())
}

fn has_newline(text: &str) -> bool {
    text.contains(['\n', '\r'])
}

/// Whether a path in dots certainly leads to no field; those with brackets are not judged.
fn leads_nowhere(schema: &Value, path: &str) -> bool {
    if path.contains(['[', ']', '\'']) {
        return false;
    }
    let Some(names) = path.strip_prefix('.') else {
        return true;
    };
    let mut found = schema;
    for name in names.split('.') {
        let next = match found.get("properties") {
            Some(properties) => properties.get(name),
            None => found
                .get("additionalProperties")
                .filter(|it| it.is_object()),
        };
        match next {
            Some(next) => found = next,
            None => return true,
        }
    }
    false
}
