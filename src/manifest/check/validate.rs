//! Whether a value is valid by a schema. What cannot be judged here, such as formats and CEL, passes.

use crate::expression::expression;
use serde_json::Value;

use super::schema::{branches, child, each, fields, is, list, text};

/// The first thing that makes a value invalid: its field, and the rule.
pub(super) fn fault(value: &Value, schema: &Value, path: &str) -> Option<(String, String)> {
    if value.is_null() {
        return (!is(schema, "nullable") && !text(&schema["type"]).is_empty())
            .then(|| (path.to_owned(), "must not be null".to_owned()));
    }
    let here = |rule: String| (path.to_owned(), rule);
    of_type(value, schema)
        .or_else(|| one_of_enum(value, schema))
        .or_else(|| match value {
            Value::Number(number) => of_number(number.as_f64()?, schema),
            Value::String(text) => of_text(text, schema),
            Value::Array(items) => of_size(items.len(), schema, ["minItems", "maxItems"]),
            Value::Object(members) => {
                of_size(members.len(), schema, ["minProperties", "maxProperties"])
                    .or_else(|| missing(value, schema))
            }
            _ => None,
        })
        .map(here)
        .or_else(|| within(value, schema, path))
        .or_else(|| of_branches(value, schema, path))
}

fn of_type(value: &Value, schema: &Value) -> Option<String> {
    let is_whole = value.as_f64().is_some_and(|number| number.fract() == 0.0);
    let kind = text(&schema["type"]);
    let fits = match kind {
        "string" => value.is_string(),
        "integer" => is_whole,
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    };
    (!fits).then(|| format!("must be of the type {kind}"))
}

fn one_of_enum(value: &Value, schema: &Value) -> Option<String> {
    let allowed = list(&schema["enum"]);
    let same = |other: &Value| match (value.as_f64(), other.as_f64()) {
        (Some(left), Some(right)) => (left - right).abs() == 0.0,
        _ => value == other,
    };
    (!allowed.is_empty() && !allowed.iter().any(same)).then(|| {
        let allowed: Vec<_> = allowed.iter().map(Value::to_string).collect();
        format!("must be one of {}", allowed.join(", "))
    })
}

fn of_number(number: f64, schema: &Value) -> Option<String> {
    let limit = |key: &str| schema[key].as_f64();
    if let Some(least) = limit("minimum") {
        let excludes = is(schema, "exclusiveMinimum");
        if number < least || (excludes && number <= least) {
            let than = if excludes { "greater than" } else { "at least" };
            return Some(format!("must be {than} {least}"));
        }
    }
    if let Some(most) = limit("maximum") {
        let excludes = is(schema, "exclusiveMaximum");
        if number > most || (excludes && number >= most) {
            let than = if excludes { "less than" } else { "at most" };
            return Some(format!("must be {than} {most}"));
        }
    }
    // The remainder of what is not whole is not exact.
    let step = limit("multipleOf").filter(|step| *step >= 1.0 && step.fract() == 0.0)?;
    (number.fract() != 0.0 || number % step != 0.0).then(|| format!("must be a multiple of {step}"))
}

fn of_text(value: &str, schema: &Value) -> Option<String> {
    of_size(value.chars().count(), schema, ["minLength", "maxLength"]).or_else(|| {
        let pattern = text(&schema["pattern"]);
        // Classes such as `\d` have more in Rust's expressions than in Go's.
        let regex = expression(pattern).filter(|_| value.is_ascii())?;
        (!regex.is_match(value)).then(|| format!("must match the pattern `{pattern}`"))
    })
}

fn of_size(size: usize, schema: &Value, [least, most]: [&str; 2]) -> Option<String> {
    let limit = |key: &str| {
        schema[key]
            .as_u64()
            .and_then(|limit| usize::try_from(limit).ok())
    };
    if let Some(limit) = limit(least).filter(|limit| size < *limit) {
        return Some(format!("`{least}` is {limit}"));
    }
    let limit = limit(most).filter(|limit| size > *limit)?;
    Some(format!("`{most}` is {limit}"))
}

fn missing(value: &Value, schema: &Value) -> Option<String> {
    let required = list(&schema["required"]).iter().map(text);
    let mut missing = required.filter(|name| value.get(name).is_none());
    missing.next().map(|name| format!("`{name}` is required"))
}

fn within(value: &Value, schema: &Value, path: &str) -> Option<(String, String)> {
    match value {
        Value::Array(items) => items
            .iter()
            .find_map(|item| fault(item, &schema["items"], &each(path))),
        Value::Object(_) => fields(value).find_map(|(name, value)| {
            let schema = schema["properties"]
                .get(name)
                .unwrap_or(&schema["additionalProperties"]);
            fault(value, schema, &child(path, name))
        }),
        _ => None,
    }
}

fn of_branches(value: &Value, schema: &Value, path: &str) -> Option<(String, String)> {
    let valid = |key: &str| {
        let branches = list(&schema[key]);
        branches
            .iter()
            .filter(|branch| fault(value, branch, path).is_none())
            .count()
    };
    let rule = if !list(&schema["anyOf"]).is_empty() && valid("anyOf") == 0 {
        "must match `anyOf`"
    } else if !list(&schema["oneOf"]).is_empty() && valid("oneOf") == 0 {
        "must match exactly one of `oneOf`"
    } else if schema["not"].is_object()
        && is_certain(&schema["not"])
        && fault(value, &schema["not"], path).is_none()
    {
        "must not match `not`"
    } else {
        let mut all = list(&schema["allOf"]).iter();
        return all.find_map(|branch| fault(value, branch, path));
    };
    Some((path.to_owned(), rule.to_owned()))
}

/// Whether all rules of a schema are judged here, so that what breaks none is valid.
fn is_certain(schema: &Value) -> bool {
    schema["format"].is_null()
        && schema["pattern"].is_null()
        && schema["multipleOf"].is_null()
        && branches(schema, "").all(|(_, branch)| is_certain(branch))
        && fields(&schema["properties"]).all(|(_, property)| is_certain(property))
        && (schema["items"].is_null() || is_certain(&schema["items"]))
}
