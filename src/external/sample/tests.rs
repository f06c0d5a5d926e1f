//! Objects that schemas allow, and what is said of those that are out of reach.

use serde_json::{Value, json};

use super::*;

/// The sample of a kind whose `spec` has that schema.
fn sample(spec: &Value) -> (Value, Vec<String>) {
    let schema = json!({ "type": "object", "properties": { "spec": spec } });
    let version = json!({ "storage": true, "schema": { "openAPIV3Schema": schema } });
    let crd = json!({ "spec": { "versions": [version] } });
    let definition = Definition::of(&crd, "crd.yaml", None).expect("a definition");
    let Sample {
        mut fields, faults, ..
    } = definition.sample();
    let faults = faults.iter().map(ToString::to_string).collect();
    (fields.remove("spec").unwrap_or_default(), faults)
}

/// The sample of an object with that field, which is required.
fn field(schema: &Value) -> (Value, Vec<String>) {
    let (mut spec, faults) = sample(&json!({
        "type": "object",
        "required": ["a"],
        "properties": { "a": schema },
    }));
    (spec["a"].take(), faults)
}

#[track_caller]
fn each_is<const N: usize>(cases: [(Value, Value); N]) {
    for (schema, value) in cases {
        assert_eq!(field(&schema), (value, Vec::new()), "{schema}");
    }
}

#[test]
fn fields_have_values_that_are_allowed() {
    each_is([
        (json!({ "type": "boolean" }), json!(false)),
        (json!({ "type": "integer" }), json!(1)),
        (
            json!({ "type": "integer", "minimum": 5, "exclusiveMinimum": true }),
            json!(6),
        ),
        (
            json!({ "type": "integer", "minimum": 5, "multipleOf": 4 }),
            json!(8),
        ),
        (json!({ "type": "integer", "maximum": -2 }), json!(-2)),
        (
            json!({ "type": "integer", "maximum": 0, "exclusiveMaximum": true }),
            json!(-1),
        ),
        (
            json!({ "type": "number", "minimum": 0, "maximum": 1, "exclusiveMinimum": true, "exclusiveMaximum": true }),
            json!(0.5),
        ),
        (
            json!({ "type": "number", "minimum": 0.3, "multipleOf": 0.25 }),
            json!(1),
        ),
        (
            json!({ "type": "string", "default": "b", "enum": ["a", "b"] }),
            json!("b"),
        ),
        (
            json!({ "type": "string", "nullable": true, "enum": [null, "a"] }),
            json!("a"),
        ),
        (json!({ "type": "string" }), json!("example")),
        (json!({ "type": "string", "maxLength": 2 }), json!("ex")),
        (
            json!({ "type": "string", "minLength": 9 }),
            json!("exampleee"),
        ),
        (
            json!({ "type": "string", "format": "ipv4" }),
            json!("192.0.2.1"),
        ),
        (
            json!({ "type": "string", "format": "date-time" }),
            json!("2026-01-01T00:00:00Z"),
        ),
        (
            json!({ "type": "string", "pattern": "^arn:aws:[a-z]+:(eu|us)-\\d{2}$" }),
            json!("arn:aws:a:eu-11"),
        ),
        (
            json!({ "type": "string", "pattern": "^(a|b)+$", "minLength": 3 }),
            json!("aaa"),
        ),
        (
            json!({ "type": "string", "pattern": r"^\d+(m|Mi)?$", "maxLength": 1 }),
            json!("1"),
        ),
        (
            json!({ "x-kubernetes-int-or-string": true, "pattern": "^a$" }),
            json!(1),
        ),
    ]);
}

#[test]
fn lists_and_objects_have_what_is_required() {
    each_is([
        (
            json!({ "type": "array", "items": { "type": "string" } }),
            json!([]),
        ),
        (
            json!({ "type": "array", "minItems": 2, "items": { "type": "boolean" } }),
            json!([false, false]),
        ),
        (
            json!({ "type": "array", "minItems": 3, "x-kubernetes-list-type": "set", "items": { "type": "string" } }),
            json!(["example", "example.com", "https://example.com"]),
        ),
        (
            json!({ "type": "array", "minItems": 2, "x-kubernetes-list-type": "set", "items": { "type": "string", "enum": ["a", "b"] } }),
            json!(["a", "b"]),
        ),
        (
            json!({
                "type": "array",
                "minItems": 2,
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name", "port"],
                "items": {
                    "type": "object",
                    "required": ["name", "port"],
                    "properties": {
                        "name": { "type": "string", "enum": ["only"] },
                        "port": { "type": "integer" },
                    },
                },
            }),
            json!([{ "name": "only", "port": 1 }, { "name": "only", "port": 0 }]),
        ),
        (
            json!({ "type": "object", "minProperties": 2, "additionalProperties": { "type": "integer" } }),
            json!({ "example1": 1, "example2": 1 }),
        ),
        (
            json!({ "type": "object", "minProperties": 1, "properties": { "b": { "type": "string" }, "c": { "type": "string" } } }),
            json!({ "b": "example" }),
        ),
        (
            json!({ "type": "object", "required": ["b"], "x-kubernetes-preserve-unknown-fields": true }),
            json!({ "b": {} }),
        ),
        (
            json!({ "type": "object", "required": ["b"], "additionalProperties": { "type": "string" } }),
            json!({ "b": "example" }),
        ),
        (
            json!({ "type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true }),
            json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "example" } }),
        ),
    ]);
}

#[test]
fn branches_are_chosen() {
    let text = json!({ "type": "string" });
    let with = |more: Value| {
        let mut schema = json!({ "type": "object", "properties": { "b": text, "c": text, "kind": { "type": "string", "enum": ["B", "C"] } } });
        schema
            .as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        schema
    };
    for (more, value) in [
        (
            json!({ "oneOf": [{ "required": ["b"] }, { "required": ["c"] }] }),
            json!({ "b": "example" }),
        ),
        (
            json!({ "anyOf": [{ "required": ["c"], "properties": { "c": { "pattern": "^x+$" } } }, { "required": ["b"] }] }),
            json!({ "c": "x" }),
        ),
        (
            json!({ "allOf": [{ "required": ["b"] }, { "anyOf": [{ "required": ["c"] }] }] }),
            json!({ "b": "example", "c": "example" }),
        ),
        // Without a field is a choice as well.
        (
            json!({ "oneOf": [{ "required": ["b"] }, { "not": { "anyOf": [{ "required": ["b"] }] } }] }),
            json!({}),
        ),
        (
            json!({
                "required": ["kind"],
                "oneOf": [
                    { "properties": { "kind": { "enum": ["A"] } } },
                    { "properties": { "kind": { "enum": ["C"] } }, "required": ["c"] },
                ],
            }),
            json!({ "kind": "C", "c": "example" }),
        ),
    ] {
        assert_eq!(sample(&with(more.clone())), (value, Vec::new()), "{more}");
    }
}

/// What the API server adds is counted.
#[test]
fn defaults_are_added_first() {
    let spec = json!({
        "type": "object",
        "anyOf": [{ "required": ["b"] }],
        "properties": { "b": { "type": "string", "default": "c" } },
    });
    assert_eq!(
        validate::faults(&spec, &validate::defaulted(&spec, &json!({}))),
        []
    );
}

#[test]
fn what_is_out_of_reach_is_named() {
    for (schema, fault) in [
        (
            json!({ "type": "string", "pattern": "^a$", "minLength": 2 }),
            "`spec.a` must match `^a$`",
        ),
        (
            json!({ "type": "string", "pattern": r"^a\b\w$" }),
            r"`spec.a` must match `^a\b\w$`",
        ),
        (
            json!({ "type": "integer", "minimum": 2, "maximum": 1 }),
            "`spec.a` must be 2 or more",
        ),
        (
            json!({ "type": "object", "required": ["b"] }),
            "`spec.a.b` is required",
        ),
        (
            json!({ "type": "array", "minItems": 200, "items": {} }),
            "`spec.a` must have at least 200 items",
        ),
        (
            json!({ "type": "string", "enum": [1] }),
            "`spec.a` must be of type string",
        ),
        (
            json!({ "type": "string", "not": {} }),
            "`spec.a` must not match `not`",
        ),
    ] {
        let (_, faults) = field(&schema);
        assert_eq!(faults, [fault], "{schema}");
    }
}

/// Rules for updates have nothing to say about a new object.
#[test]
fn rules_are_named_where_they_count() {
    let rules = |rule: &str| json!([{ "rule": rule, "message": rule }]);
    let spec = json!({
        "type": "object",
        "x-kubernetes-validations": rules("has(self.a)"),
        "required": ["a", "c"],
        "properties": {
            "a": { "type": "string", "x-kubernetes-validations": rules("self == oldSelf") },
            "b": { "type": "string", "x-kubernetes-validations": rules("self != ''") },
            "c": {
                "type": "array",
                "minItems": 2,
                "items": { "type": "string", "x-kubernetes-validations": [{ "rule": "self != 'c'" }] },
            },
        },
    });
    let value = value::value(&spec);
    let rules: Vec<String> = validate::rules(&spec, &value)
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(rules, ["the object (has(self.a))", "`c[]` (`self != 'c'`)"]);
}

/// Work is bounded, whatever a schema asks for.
#[test]
fn endless_schemas_end() {
    let mut list = json!({ "type": "string" });
    for _ in 0..8 {
        list = json!({ "type": "array", "minItems": 100, "items": list });
    }
    assert!(!field(&list).1.is_empty());
    for pattern in [
        "^((((){999}){999}){999}){999}b$",
        "^a{4000000000}$",
        r"^\w{1000}\w{1000}\w{1000}$",
    ] {
        let schema = json!({ "type": "string", "pattern": pattern });
        assert!(
            !field(&schema).1.is_empty() || pattern.contains('b'),
            "{pattern}"
        );
    }
}

/// A large pattern is compiled once, whatever is tried.
#[test]
fn large_patterns_take_no_time() {
    let words: Vec<String> = (0..20_000).map(|n| format!("a{n}")).collect();
    let schema = json!({ "type": "string", "minLength": 3, "pattern": words.join("|") });
    each_is([(schema, json!("a10"))]);
}
