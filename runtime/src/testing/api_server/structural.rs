//! Whether a value is as the schema in a CRD says.

use regex::Regex;
use serde_json::{Map, Value, json};

use super::failure::{FieldError, Wrong};
use super::formats;
use super::schema::{ListType, Schema};

/// What is wrong with an object. What an update leaves as it was is not looked at.
pub(super) fn check(schema: &Schema, object: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    value(schema, object, old, "", &mut errors);
    lists(schema, object, "", &mut errors);
    errors
}

fn source(schema: &Schema) -> &Value {
    schema
        .custom
        .as_ref()
        .map_or(&Value::Null, |custom| &custom.source)
}

fn value(
    schema: &Schema,
    value_of: &Value,
    old: Option<&Value>,
    path: &str,
    errors: &mut Vec<FieldError>,
) {
    let source = source(schema);
    if source.is_null() || (old == Some(value_of) && !path.is_empty()) {
        return;
    }
    let before = errors.len();
    if !has_type(source, value_of) {
        let wanted = source["type"].as_str().unwrap_or("integer,string");
        let got = type_name(value_of);
        let detail = format!("{path} in body must be of type {wanted}: {got:?}");
        errors.push(FieldError::new(Wrong::Type, path, json!(got), detail));
        combined(source, value_of, path, errors);
        return;
    }
    match value_of {
        Value::String(text) => string(source, text, path, errors),
        Value::Number(_) => number(source, value_of, path, errors),
        Value::Array(items) => {
            size(
                source,
                ["minItems", "maxItems"],
                "items",
                items.len(),
                path,
                errors,
            );
            for (index, item) in items.iter().enumerate() {
                let old = old.and_then(|old| old.get(index));
                value(
                    schema.item(),
                    item,
                    old,
                    &format!("{path}[{index}]"),
                    errors,
                );
            }
        }
        Value::Object(fields) => object(schema, fields, old, path, errors),
        _ => {}
    }
    if errors.len() == before
        && let Some(allowed) = source["enum"].as_array()
    {
        one_of(allowed, value_of, path, errors);
    }
    combined(source, value_of, path, errors);
}

fn object(
    schema: &Schema,
    fields: &Map<String, Value>,
    old: Option<&Value>,
    path: &str,
    errors: &mut Vec<FieldError>,
) {
    let source = source(schema);
    size(
        source,
        ["minProperties", "maxProperties"],
        "properties",
        fields.len(),
        path,
        errors,
    );
    let required = source["required"].as_array().into_iter().flatten();
    for name in required.filter_map(Value::as_str) {
        if !fields.contains_key(name) {
            errors.push(FieldError::required(&below(path, name), ""));
        }
    }
    for (name, value_of) in fields {
        let is_identity = path.is_empty() && matches!(&**name, "apiVersion" | "kind" | "metadata");
        if let Some(child) = schema.child(name).filter(|_| !is_identity) {
            let old = old.and_then(|old| old.get(name));
            value(child, value_of, old, &below(path, name), errors);
        }
    }
}

fn has_type(source: &Value, value: &Value) -> bool {
    if value.is_null() && source["nullable"] == true {
        return true;
    }
    if source["x-kubernetes-int-or-string"] == true {
        return value.is_string() || is_integer(value);
    }
    match source["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => is_integer(value),
        Some("number") => value.is_number(),
        _ => true,
    }
}

fn is_integer(value: &Value) -> bool {
    value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) if is_integer(value) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn string(source: &Value, text: &str, path: &str, errors: &mut Vec<FieldError>) {
    let length = text.chars().count();
    let mut fail = |detail: String| errors.push(FieldError::invalid(path, json!(text), detail));
    if source["minLength"]
        .as_u64()
        .is_some_and(|least| (length as u64) < least)
    {
        fail(format!(
            "{path} in body should be at least {} chars long",
            source["minLength"]
        ));
    }
    if let Some(pattern) = source["pattern"].as_str() {
        let matches = Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(text));
        if !matches {
            fail(format!("{path} in body should match '{pattern}'"));
        }
    }
    if let Some(format) = source["format"].as_str()
        && !formats::matches(format, text)
    {
        fail(format!("{path} in body must be of type {format}: {text:?}"));
    }
    if let Some(most) = source["maxLength"]
        .as_u64()
        .filter(|most| length as u64 > *most)
    {
        let detail = format!("may not be more than {most} bytes");
        errors.push(FieldError::new(Wrong::TooLong, path, Value::Null, detail));
    }
}

fn number(source: &Value, value: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let number = value.as_f64().unwrap_or_default();
    let mut fail = |text: &str, limit: &Value| {
        let detail = format!("{path} in body should be {text} {}", shortest(limit));
        errors.push(FieldError::invalid(path, value.clone(), detail));
    };
    if let Some(least) = source["minimum"].as_f64() {
        let is_exclusive = source["exclusiveMinimum"] == true;
        if number < least || (is_exclusive && number <= least) {
            fail(
                if is_exclusive {
                    "greater than"
                } else {
                    "greater than or equal to"
                },
                &source["minimum"],
            );
        }
    }
    if let Some(most) = source["maximum"].as_f64() {
        let is_exclusive = source["exclusiveMaximum"] == true;
        if number > most || (is_exclusive && number >= most) {
            fail(
                if is_exclusive {
                    "less than"
                } else {
                    "less than or equal to"
                },
                &source["maximum"],
            );
        }
    }
    let factor = source["multipleOf"].as_f64().filter(|factor| *factor > 0.0);
    if factor.is_some_and(|factor| (number / factor).fract() != 0.0) {
        fail("a multiple of", &source["multipleOf"]);
    }
    let fits = match source["format"].as_str() {
        Some("int32") => value
            .as_i64()
            .is_none_or(|number| i32::try_from(number).is_ok()),
        Some("uint32") => value
            .as_i64()
            .is_none_or(|number| u32::try_from(number).is_ok()),
        _ => true,
    };
    if !fits {
        let format = source["format"].as_str().unwrap_or_default();
        let detail = format!("{} in body must be of type {format}: {:?}", path, "integer");
        errors.push(FieldError::new(Wrong::Invalid, path, value.clone(), detail));
    }
}

/// A number without a fraction that is zero.
fn shortest(limit: &Value) -> String {
    let text = limit.to_string();
    text.strip_suffix(".0")
        .map_or_else(|| text.clone(), str::to_owned)
}

fn size(
    source: &Value,
    [least, most]: [&str; 2],
    what: &str,
    size: usize,
    path: &str,
    errors: &mut Vec<FieldError>,
) {
    if let Some(least) = source[least]
        .as_u64()
        .filter(|least| (size as u64) < *least)
    {
        let detail = format!("{path} in body should have at least {least} {what}");
        errors.push(FieldError::invalid(path, json!(size), detail));
    }
    if let Some(most) = source[most].as_u64().filter(|most| size as u64 > *most) {
        let detail = format!(
            "must have at most {most} item{}",
            if most == 1 { "" } else { "s" }
        );
        let mut error = FieldError::new(Wrong::TooMany, path, json!(size), detail);
        error.value = json!(size);
        errors.push(error);
    }
}

fn one_of(allowed: &[Value], value: &Value, path: &str, errors: &mut Vec<FieldError>) {
    if allowed.contains(value) {
        return;
    }
    let allowed = allowed.iter().map(|value| match value {
        Value::String(text) => format!("{text:?}"),
        value => format!("{:?}", value.to_string()),
    });
    let detail = format!(
        "supported values: {}",
        allowed.collect::<Vec<_>>().join(", ")
    );
    errors.push(FieldError::new(
        Wrong::NotSupported,
        path,
        value.clone(),
        detail,
    ));
}

/// What must hold of several schemas.
fn combined(source: &Value, value_of: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let fits = |source: &Value| {
        let mut errors = Vec::new();
        let schema = super::schema::crd::plain(source);
        value(&schema, value_of, None, path, &mut errors);
        errors.is_empty()
    };
    let count = |name: &str| {
        source[name]
            .as_array()
            .map(|list| (list.len(), list.iter().filter(|one| fits(one)).count()))
    };
    let fail = |text: &str, errors: &mut Vec<FieldError>| {
        let detail = format!("{path:?} {text}");
        errors.push(FieldError::invalid("<nil>", json!(""), detail));
    };
    if count("anyOf").is_some_and(|(_, good)| good == 0) {
        fail("must validate at least one schema (anyOf)", errors);
        if let Some(first) = source["anyOf"].get(0) {
            value(
                &super::schema::crd::plain(first),
                value_of,
                None,
                path,
                errors,
            );
        }
    }
    match count("oneOf") {
        Some((_, 0)) => fail(
            "must validate one and only one schema (oneOf). Found none valid",
            errors,
        ),
        Some((_, good)) if good > 1 => {
            fail(
                &format!(
                    "must validate one and only one schema (oneOf). Found {good} valid alternatives"
                ),
                errors,
            );
        }
        _ => {}
    }
    if count("allOf").is_some_and(|(all, good)| good < all) {
        fail("must validate all the schemas (allOf)", errors);
    }
    if source["not"].is_object() && fits(&source["not"]) {
        fail("must not validate the schema (not)", errors);
    }
}

/// Lists that may hold nothing twice.
fn lists(schema: &Schema, value: &Value, path: &str, errors: &mut Vec<FieldError>) {
    match value {
        Value::Array(items) => {
            let mut seen = Vec::new();
            for (index, item) in items.iter().enumerate() {
                let path = format!("{path}[{index}]");
                let key = match &schema.list {
                    ListType::Atomic => None,
                    ListType::Set => Some(item.clone()),
                    ListType::Map(keys) => Some(
                        keys.iter()
                            .map(|key| (key.clone(), item[key].clone()))
                            .collect(),
                    ),
                };
                if let Some(key) = key {
                    if seen.contains(&key) {
                        errors.push(FieldError::new(Wrong::Duplicate, &path, key.clone(), ""));
                    }
                    seen.push(key);
                }
                lists(schema.item(), item, &path, errors);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                if let Some(child) = schema.child(name).filter(|child| child.custom.is_some()) {
                    lists(child, value, &below(path, name), errors);
                }
            }
        }
        _ => {}
    }
}

fn below(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}
