// Owned by rop: its commands rewrite this file, so make changes elsewhere [0ad07117bad2]
//! The committed CRDs match the types, and an API server accepts them.

use std::fs;
use std::path::Path;

use tenant_operator_api::crds;

use serde_json::{Value, json};

#[test]
fn committed_crds_match_the_types() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("config/crd/bases");
    for crd in crds() {
        let name = format!("{}_{}.yaml", crd.spec.group, crd.spec.names.plural);
        let text = fs::read_to_string(folder.join(&name))
            .unwrap_or_else(|error| panic!("{name}: {error}; run `rop generate manifests`"));
        let mut committed: Value = serde_saphyr::from_str(&text).expect("a YAML document");
        let mut derived = json!(crd);
        normalise(&mut committed);
        normalise(&mut derived);
        assert!(
            committed == derived,
            "{name} does not match the types; run `rop generate manifests`"
        );
    }
}

/// A type that is gone leaves its CRD behind, which would still be installed.
#[test]
fn every_committed_crd_has_a_type() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("config/crd/bases");
    let derived: Vec<_> = crds()
        .iter()
        .map(|crd| format!("{}_{}.yaml", crd.spec.group, crd.spec.names.plural))
        .collect();
    for entry in fs::read_dir(folder).expect("the CRDs") {
        let entry = entry.expect("an entry");
        let text = fs::read_to_string(entry.path()).unwrap_or_default();
        let is_generated = text.starts_with("# Owned by rop");
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(
            !is_generated || derived.contains(&name),
            "no type makes {name}; remove it, its sample, and its line in config/crd/"
        );
    }
}

/// Formats that differ matter.
const FORMATS: [&str; 5] = ["date-time", "double", "float", "int32", "int64"];

/// YAML does not distinguish `0` from `0.0`, and `rop generate manifests` leaves out formats that no API server knows,
/// such as `uint16`.
fn normalise(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(normalise),
        Value::Object(fields) => {
            let format = fields.get("format").and_then(Value::as_str);
            if format.is_some_and(|format| !FORMATS.contains(&format)) {
                fields.remove("format");
            }
            fields.values_mut().for_each(normalise);
        }
        Value::Number(number) => *value = number.as_f64().into(),
        _ => {}
    }
}

/// An API server rejects other schemas, or drops the fields that they do not name. The usual cause is
/// an enum that serde tags internally, or not at all.
#[test]
fn schemas_are_structural() {
    for crd in crds() {
        for version in &crd.spec.versions {
            let schema = &json!(version)["schema"]["openAPIV3Schema"];
            let found = faults(schema, &crd.spec.names.kind);
            assert!(found.is_empty(), "{found:#?}");
        }
    }
}

/// What is wrong with a part of a schema, by the rules of structural schemas.
fn faults(schema: &Value, path: &str) -> Vec<String> {
    let is = |key: &str| schema[key] == true;
    let of_any_type =
        is("x-kubernetes-int-or-string") || is("x-kubernetes-preserve-unknown-fields");
    let mut found = Vec::new();
    let mut check = |is_right: bool, fault: &str| {
        if !is_right {
            found.push(format!("{path}: {fault}"));
        }
    };
    check(schema["type"].is_string() || of_any_type, "has no type");
    check(schema["$ref"].is_null(), "has a $ref");
    check(
        schema["properties"].is_null() || schema["additionalProperties"].is_null(),
        "has properties and additionalProperties",
    );
    check(
        schema["type"] != "array" || schema["items"].is_object(),
        "has no items",
    );
    let items = &schema["items"];
    for key in list(&schema["x-kubernetes-list-map-keys"]) {
        let item = &items["properties"][key.as_str().unwrap_or_default()];
        check(
            !item["default"].is_null() || list(&items["required"]).contains(key),
            &format!("has items whose key {key} is not required and has no default"),
        );
    }
    for junctor in ["allOf", "anyOf", "oneOf", "not"] {
        let path = format!("{path}.{junctor}");
        let branches = &schema[junctor];
        for branch in branches.as_array().unwrap_or(&vec![branches.clone()]) {
            found.extend(faults_of_branch(branch, schema, &path));
        }
    }
    for (name, part) in schema["properties"].as_object().into_iter().flatten() {
        found.extend(faults(part, &format!("{path}.{name}")));
    }
    for part in ["items", "additionalProperties"] {
        if schema[part].is_object() {
            found.extend(faults(&schema[part], &format!("{path}.{part}")));
        }
    }
    found
}

/// A branch may only narrow down what the schema around it has.
fn faults_of_branch(branch: &Value, around: &Value, path: &str) -> Vec<String> {
    let mut found = Vec::new();
    let of_the_whole = ["additionalProperties", "default", "description", "nullable"];
    for key in of_the_whole.into_iter().chain(["type"]) {
        if !branch[key].is_null() && around["x-kubernetes-int-or-string"] != true {
            found.push(format!("{path}: has a {key}"));
        }
    }
    for (name, part) in branch["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        match &around["properties"][name] {
            Value::Null => found.push(format!("{path}: is not among the properties")),
            around => found.extend(faults_of_branch(part, around, &path)),
        }
    }
    found
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
