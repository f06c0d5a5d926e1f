//! What a schema demands of a value, in words.

use serde_json::Value;

use super::markdown::{code, text};

/// Limits, by their keys.
const LIMITS: [(&str, &str); 9] = [
    ("minimum", "minimum"),
    ("maximum", "maximum"),
    ("multipleOf", "multiple of"),
    ("minLength", "minimum length"),
    ("maxLength", "maximum length"),
    ("minItems", "minimum items"),
    ("maxItems", "maximum items"),
    ("minProperties", "minimum properties"),
    ("maxProperties", "maximum properties"),
];

/// Combinations of schemas, which the reference only names.
const COMBINATIONS: [&str; 4] = ["allOf", "anyOf", "oneOf", "not"];

/// The type of a value, such as `array of string`.
pub(super) fn type_name(schema: &Value) -> String {
    if is_true(schema, "x-kubernetes-int-or-string") {
        return "integer or string".to_owned();
    }
    if is_true(schema, "x-kubernetes-embedded-resource") {
        return "Kubernetes object".to_owned();
    }
    let name = match (schema["type"].as_str(), schema["format"].as_str()) {
        (Some("array"), _) => format!("array of {}", type_name(&schema["items"])),
        (Some("object"), _) if schema["additionalProperties"].is_object() => {
            format!("map of {}", type_name(&schema["additionalProperties"]))
        }
        (Some("object"), _) if is_true(schema, "x-kubernetes-preserve-unknown-fields") => {
            "any object".to_owned()
        }
        (Some(name), Some(format)) => format!("{} ({})", text(name), text(format)),
        (Some(name), None) => text(name),
        (None, _) => "any value".to_owned(),
    };
    if is_true(schema, "nullable") {
        format!("{name} or null")
    } else {
        name
    }
}

/// What else it demands.
pub(super) fn rules(schema: &Value) -> Vec<String> {
    let mut rules = Vec::new();
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<_> = values.iter().map(|it| code(&it.to_string())).collect();
        rules.push(format!("one of {}", values.join(", ")));
    }
    for (key, words) in LIMITS {
        if !schema[key].is_null() {
            let limit = code(&schema[key].to_string());
            rules.push(match key {
                "minimum" if is_true(schema, "exclusiveMinimum") => format!("more than {limit}"),
                "maximum" if is_true(schema, "exclusiveMaximum") => format!("less than {limit}"),
                _ => format!("{words} {limit}"),
            });
        }
    }
    if let Some(pattern) = schema["pattern"].as_str() {
        rules.push(format!("pattern {}", code(pattern)));
    }
    let keys = schema["x-kubernetes-list-map-keys"].as_array();
    match (schema["x-kubernetes-list-type"].as_str(), keys) {
        (Some("map"), Some(keys)) => {
            let keys = keys.iter().filter_map(Value::as_str).map(code);
            rules.push(format!("unique {}", keys.collect::<Vec<_>>().join(", ")));
        }
        (Some("set"), _) => rules.push("unique items".to_owned()),
        _ => {}
    }
    let named = COMBINATIONS
        .into_iter()
        .filter(|key| !schema[*key].is_null());
    if !is_true(schema, "x-kubernetes-int-or-string") {
        rules.extend(named.map(|key| format!("`{key}` in the CRD")));
    }
    rules.extend(expressions(schema));
    for (key, what) in [
        ("items", "each item"),
        ("additionalProperties", "each value"),
    ] {
        let inner = &schema[key];
        if inner["properties"].is_null() {
            let of_inner = self::rules_of(inner).into_iter();
            rules.extend(of_inner.map(|rule| format!("{what}: {rule}")));
        }
    }
    rules
}

/// The rules of a schema, if it is one.
fn rules_of(schema: &Value) -> Vec<String> {
    if schema.is_object() {
        rules(schema)
    } else {
        Vec::new()
    }
}

/// Its rules in CEL.
fn expressions(schema: &Value) -> Vec<String> {
    let all = schema["x-kubernetes-validations"].as_array();
    let shown = all.into_iter().flatten().map(|validation| {
        let rule = code(validation["rule"].as_str().unwrap_or_default());
        match validation["message"].as_str() {
            Some(message) => format!("{rule}: {}", text(message)),
            None => rule,
        }
    });
    shown.collect()
}

fn is_true(schema: &Value, key: &str) -> bool {
    schema[key] == true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_demand_is_named() {
        for (schema, name, expected) in [
            (
                json!({"type": "integer", "format": "int32", "minimum": 0, "maximum": 5.5}),
                "integer (int32)",
                "minimum `0`; maximum `5.5`",
            ),
            (
                json!({"type": "number", "minimum": 0, "exclusiveMinimum": true}),
                "number",
                "more than `0`",
            ),
            (
                json!({"type": "string", "enum": ["a", "b|c"], "nullable": true}),
                "string or null",
                "one of `\"a\"`, <code>&#34;b&#124;c&#34;</code>",
            ),
            (
                json!({"type": "array", "items": {"type": "string", "maxLength": 3}, "x-kubernetes-list-type": "set"}),
                "array of string",
                "unique items; each item: maximum length `3`",
            ),
            (
                json!({"type": "array", "items": {"type": "object", "properties": {}},
                    "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"]}),
                "array of object",
                "unique `type`",
            ),
            (
                json!({"type": "object", "additionalProperties": {"type": "string", "pattern": "^a"}}),
                "map of string",
                "each value: pattern `^a`",
            ),
            (
                json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "string"}]}),
                "integer or string",
                "",
            ),
            (
                json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "oneOf": []}),
                "any object",
                "`oneOf` in the CRD",
            ),
            (
                json!({"x-kubernetes-validations": [{"rule": "self > 1", "message": "is\n<b>small"}]}),
                "any value",
                "`self > 1`: is &#60;b&#62;small",
            ),
            (json!(7), "any value", ""),
        ] {
            assert_eq!(
                (type_name(&schema), rules(&schema).join("; ")),
                (name.to_owned(), expected.to_owned())
            );
        }
    }
}
