//! What an API server demands of a schema: that it is structural.

use serde_json::{Map, Value};

use super::default;
use super::form::{Fault, at, shown};

/// The types that a schema can have.
const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

/// Keywords of JSON schema that a CRD cannot have.
const FORBIDDEN: [&str; 6] = [
    "$ref",
    "additionalItems",
    "definitions",
    "dependencies",
    "id",
    "patternProperties",
];

/// Checks the schema of a version.
pub(super) fn check(schema: &Value, path: &str) -> Result<(), Fault> {
    if schema["type"] != "object" {
        let rule = format!("must be `object`, but is {}", shown(&schema["type"]));
        return Err(Fault::new(at(path, "type"), rule));
    }
    if schema["nullable"] == true {
        return Err(Fault::new(at(path, "nullable"), "must not be true"));
    }
    let metadata = schema["properties"]["metadata"]["properties"].as_object();
    let mut fields = metadata.into_iter().flat_map(Map::keys);
    if let Some(field) = fields.find(|name| !["generateName", "name"].contains(&name.as_str())) {
        let path = format!("{path}.properties.metadata.properties.{field}");
        return Err(Fault::new(
            path,
            "must be absent: Kubernetes defines the schema of metadata",
        ));
    }
    for (name, type_) in [
        ("apiVersion", "string"),
        ("kind", "string"),
        ("metadata", "object"),
    ] {
        let found = schema["properties"]
            .get(name)
            .map(|property| &property["type"]);
        if let Some(found) = found.filter(|found| *found != type_) {
            let rule = format!("must be `{type_}`, but is {}", shown(found));
            return Err(Fault::new(format!("{path}.properties.{name}.type"), rule));
        }
    }
    nested(schema, path)
}

fn nested(schema: &Value, path: &str) -> Result<(), Fault> {
    keywords(schema, path)?;
    if let Some(default) = schema.get("default") {
        default::check(default, schema, &at(path, "default"))?;
    }
    let inner = ["additionalProperties", "items"]
        .into_iter()
        .filter_map(|name| Some((at(path, name), schema.get(name)?)));
    let properties = schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, schema)| (format!("{path}.properties.{name}"), schema));
    let mut schemas = inner
        .chain(properties)
        .filter(|(_, schema)| schema.is_object());
    schemas.try_for_each(|(path, schema)| nested(schema, &path))
}

fn keywords(schema: &Value, path: &str) -> Result<(), Fault> {
    let fault = |name: &str, rule: &str| Err(Fault::new(at(path, name), rule));
    let is_set = |name: &str| schema[name] == true;
    for name in FORBIDDEN {
        let value = schema.get(name).filter(|value| !value.is_null());
        if value.is_some_and(|value| value.as_object().is_none_or(|fields| !fields.is_empty())) {
            return fault(name, "must be absent: not supported in CRDs");
        }
    }
    let type_ = schema["type"].as_str().unwrap_or_default();
    let has_no_type =
        is_set("x-kubernetes-int-or-string") || is_set("x-kubernetes-preserve-unknown-fields");
    match type_ {
        "" if has_no_type => {}
        "" => return fault("type", "is missing"),
        _ if !TYPES.contains(&type_) => {
            let (types, type_) = (TYPES.join("`, `"), shown(&schema["type"]));
            return fault("type", &format!("must be one of `{types}`, but is {type_}"));
        }
        _ => {}
    }
    let properties = schema["properties"].as_object();
    let has_properties = properties.is_some_and(|properties| !properties.is_empty());
    if is_set("x-kubernetes-embedded-resource") {
        let has_fields = has_properties || is_set("x-kubernetes-preserve-unknown-fields");
        let rule = "beside `x-kubernetes-embedded-resource`";
        match type_ {
            "object" if has_fields => {}
            "object" => return fault("properties", &format!("must not be empty {rule}")),
            _ => return fault("type", &format!("must be `object` {rule}")),
        }
    }
    if schema["x-kubernetes-preserve-unknown-fields"] == false {
        return fault("x-kubernetes-preserve-unknown-fields", "must be true");
    }
    if has_properties && schema.get("additionalProperties").is_some() {
        return fault(
            "additionalProperties",
            "cannot be used together with `properties`",
        );
    }
    if is_set("uniqueItems") {
        return fault("uniqueItems", "must not be true");
    }
    if type_ == "array" && schema.get("items").is_none() {
        return fault("items", "is required for the type `array`");
    }
    for (name, of, words) in [
        (
            "x-kubernetes-list-type",
            "array",
            &["atomic", "map", "set"][..],
        ),
        ("x-kubernetes-map-type", "object", &["atomic", "granular"]),
    ] {
        let Some(word) = schema[name].as_str() else {
            continue;
        };
        if type_ != of {
            return fault("type", &format!("must be `{of}` beside `{name}`"));
        }
        if !words.contains(&word) {
            let words = words.join("`, `");
            return fault(name, &format!("must be one of `{words}`, but is `{word}`"));
        }
        let keys = "x-kubernetes-list-map-keys";
        if word == "map" && schema[keys].as_array().is_none_or(Vec::is_empty) {
            return fault(keys, &format!("must not be empty beside `{name}: map`"));
        }
    }
    Ok(())
}
