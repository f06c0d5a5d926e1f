//! Reading a schema. As in an API server, null and what is empty are the same as nothing.

use serde_json::{Value, json};

/// Lists of schemas that narrow down the one around them.
pub(super) const JUNCTORS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

pub(super) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

pub(super) fn fields(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// Whether a flag is set.
pub(super) fn is(schema: &Value, key: &str) -> bool {
    schema[key] == true
}

/// Whether a value says anything.
pub(super) fn is_set(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Bool(true) | Value::Number(_) => true,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}

/// Whether a list of names has this one.
pub(super) fn names(list: &Value, name: &str) -> bool {
    self::list(list).iter().any(|it| it == name)
}

/// The path of a field.
pub(super) fn child(path: &str, name: &str) -> String {
    format!("{path}.{name}")
}

/// The path of the items of a list, or of the values of a map.
pub(super) fn each(path: &str) -> String {
    format!("{path}[*]")
}

/// The parts of a schema, with their paths, each being given what the schema says of the same value.
pub(super) fn branches<'a>(
    schema: &'a Value,
    path: &str,
) -> impl Iterator<Item = (String, &'a Value)> {
    let branches = JUNCTORS.iter().flat_map(move |key| {
        let branches = list(&schema[key]).iter().enumerate();
        branches.map(move |(at, branch)| (format!("{key}[{at}]"), branch))
    });
    let not = schema.get("not").filter(|not| not.is_object());
    let path = path.to_owned();
    branches
        .chain(not.map(|not| ("not".to_owned(), not)))
        .map(move |(key, branch)| (format!("{path} {key}"), branch))
}

/// Whether branches say that a value is an integer or a string.
pub(super) fn is_int_or_string(branches: &Value) -> bool {
    list(branches) == [json!({"type": "integer"}), json!({"type": "string"})]
}
