//! Schemas without `allOf`, `anyOf` and `oneOf`: one for each choice.

use serde_json::{Map, Value};

/// How many choices are tried.
const MOST: usize = 64;

/// The schemas that a schema with choices stands for, each with one of its branches. None for a schema without any.
pub(super) fn choices(schema: &Value) -> Vec<Value> {
    let keywords = ["allOf", "anyOf", "oneOf"];
    if keywords
        .iter()
        .all(|keyword| branches(schema, keyword).is_empty())
    {
        return Vec::new();
    }
    let mut plain = schema.clone();
    if let Some(fields) = plain.as_object_mut() {
        fields.retain(|name, _| !keywords.contains(&name.as_str()));
    }
    let mut schemas = vec![plain];
    for branch in branches(schema, "allOf") {
        schemas = with_one_of(&schemas, std::slice::from_ref(branch));
    }
    for keyword in ["anyOf", "oneOf"] {
        let branches = branches(schema, keyword);
        if !branches.is_empty() {
            schemas = with_one_of(&schemas, branches);
        }
    }
    schemas
}

fn branches<'a>(schema: &'a Value, keyword: &str) -> &'a [Value] {
    schema[keyword].as_array().map_or(&[], Vec::as_slice)
}

/// Each schema with each branch.
fn with_one_of(schemas: &[Value], branches: &[Value]) -> Vec<Value> {
    let resolved: Vec<Value> = branches
        .iter()
        .flat_map(|branch| match choices(branch) {
            choices if choices.is_empty() => vec![branch.clone()],
            choices => choices,
        })
        .collect();
    schemas
        .iter()
        .flat_map(|schema| resolved.iter().map(|branch| merged(schema, branch)))
        .take(MOST)
        .collect()
}

/// What two schemas say together.
fn merged(left: &Value, right: &Value) -> Value {
    let (Value::Object(left), Value::Object(right)) = (left, right) else {
        return left.clone();
    };
    let mut merged_fields = left.clone();
    for (name, value) in right {
        let value = match (name.as_str(), merged_fields.get(name)) {
            (_, None) => value.clone(),
            ("required", Some(Value::Array(names))) => {
                let more = value
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter(|name| !names.contains(name));
                names.iter().chain(more).cloned().collect()
            }
            ("properties", Some(Value::Object(properties))) => {
                together(properties, value.as_object())
            }
            ("items" | "additionalProperties", Some(schema)) => merged(schema, value),
            ("enum", Some(Value::Array(values))) => {
                let allowed = value.as_array();
                let is_allowed = |value: &&Value| allowed.is_some_and(|all| all.contains(value));
                values.iter().filter(is_allowed).cloned().collect()
            }
            (name, Some(before)) => stricter(name, before, value).clone(),
        };
        merged_fields.insert(name.clone(), value);
    }
    Value::Object(merged_fields)
}

fn together(properties: &Map<String, Value>, more: Option<&Map<String, Value>>) -> Value {
    let mut all = properties.clone();
    for (name, schema) in more.into_iter().flatten() {
        let schema = match all.get(name) {
            Some(before) => merged(before, schema),
            None => schema.clone(),
        };
        all.insert(name.clone(), schema);
    }
    Value::Object(all)
}

/// Of two values of a keyword the one that allows less.
fn stricter<'a>(keyword: &str, left: &'a Value, right: &'a Value) -> &'a Value {
    let (Some(first), Some(second)) = (left.as_f64(), right.as_f64()) else {
        return right;
    };
    let is_first = match keyword {
        _ if keyword.starts_with("min") => first > second,
        _ if keyword.starts_with("max") => first < second,
        _ => false,
    };
    if is_first { left } else { right }
}
