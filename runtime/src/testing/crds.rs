//! Tests of CRDs: whether the files match the types, whether an API server accepts the schemas, and
//! which objects their validation rules reject.

use std::fs;
use std::path::Path;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt;
use kube_cel::{ValidationErrors, Validator};
use serde::Serialize;
use serde_json::{Value, json};

use super::rules::violated;

/// The beginning of the header of a generated file.
const HEADER: &str = "# Owned by rop";

/// The formats that an API server knows.
const FORMATS: [&str; 5] = ["date-time", "double", "float", "int32", "int64"];

/// Checks an object against the validation rules of its CRD, which its type declares with
/// `validation = Rule::new(…)`. `old` is the object before an update, for transition rules.
///
/// Only an API server checks constraints of single fields, such as the length of a string: a
/// [real one](super::Cluster), or the [in-memory one](super::FakeApi::install). Rules that call `url` or
/// `isURL` are only evaluated by a real one.
///
/// ```
/// use kube::{CustomResource, KubeSchema};
/// use rop_runtime::testing::check;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Clone, Debug, Deserialize, Serialize, CustomResource, KubeSchema)]
/// #[kube(group = "shop.example.com", version = "v1", kind = "Cart")]
/// #[x_kube(validation = "self.items <= self.limit")]
/// struct CartSpec {
///     items: u32,
///     limit: u32,
/// }
///
/// let cart = Cart::new("web", CartSpec { items: 2, limit: 3 });
/// check(&cart, None).unwrap();
/// let full = Cart::new("web", CartSpec { items: 4, limit: 3 });
/// check(&full, Some(&cart)).unwrap_err();
/// ```
///
/// # Errors
/// Returns the rules that the object violates.
pub fn check<K>(object: &K, old: Option<&K>) -> Result<(), String>
where
    K: CustomResourceExt + Serialize,
{
    let version = K::api_resource().version;
    let mut versions = K::crd().spec.versions.into_iter();
    let schema = versions
        .find(|known| known.name == version)
        .and_then(|version| version.schema);
    let schema = json!(schema.and_then(|schema| schema.open_api_v3_schema));
    let old = old.map(|old| json!(old));
    let result = Validator::new().validate_with_defaults(&schema, &json!(object), old.as_ref());
    let errors = violated(result);
    if errors.is_empty() {
        return Ok(());
    }
    Err(ValidationErrors::from(errors).to_string())
}

/// Asserts that the CRDs in a folder, such as `config/crd/bases`, match the types, and that there
/// are no CRDs of removed types, which would still be installed.
///
/// ```no_run
/// # macro_rules! env { ($name:literal) => { "" } }
/// # fn crds() -> Vec<k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition> { Vec::new() }
/// let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/config/crd/bases");
/// rop_runtime::testing::assert_crds_match(&crds(), folder);
/// ```
///
/// # Panics
/// Panics if they do not match, or if a file cannot be read.
pub fn assert_crds_match(crds: &[CustomResourceDefinition], folder: impl AsRef<Path>) {
    let faults = differences(crds, folder.as_ref());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Asserts that the schemas of CRDs are structural. An API server rejects other schemas, or drops
/// fields that they do not specify. The usual cause is an enum that is internally tagged or
/// untagged in serde.
///
/// # Panics
/// Panics if a schema is not structural.
pub fn assert_structural(crds: &[CustomResourceDefinition]) {
    for crd in crds {
        for version in &crd.spec.versions {
            let schema = &json!(version)["schema"]["openAPIV3Schema"];
            let faults = faults(schema, &crd.spec.names.kind);
            assert!(faults.is_empty(), "{faults:#?}");
        }
    }
}

fn differences(crds: &[CustomResourceDefinition], folder: &Path) -> Vec<String> {
    let file = |crd: &CustomResourceDefinition| {
        format!("{}_{}.yaml", crd.spec.group, crd.spec.names.plural)
    };
    let mut faults = Vec::new();
    for crd in crds {
        let name = file(crd);
        match fs::read_to_string(folder.join(&name)) {
            Err(error) => faults.push(format!("{name}: {error}; run `rop generate manifests`")),
            Ok(text) if !is_of(&text, crd) => faults.push(format!(
                "{name} does not match the types; run `rop generate manifests`"
            )),
            Ok(_) => {}
        }
    }
    for entry in fs::read_dir(folder).expect("the CRDs") {
        let entry = entry.expect("an entry");
        let text = fs::read_to_string(entry.path()).unwrap_or_default();
        let name = entry.file_name().to_string_lossy().into_owned();
        if text.starts_with(HEADER) && !crds.iter().any(|crd| file(crd) == name) {
            faults.push(format!(
                "no type generates {name}: remove it, its sample, and its entry in config/crd/"
            ));
        }
    }
    faults
}

/// Whether a file has the CRD of a type.
fn is_of(text: &str, crd: &CustomResourceDefinition) -> bool {
    let Ok(mut committed) = serde_saphyr::from_str::<Value>(text) else {
        return false;
    };
    let mut derived = json!(crd);
    // The type does not know the conversion webhook.
    if crd.spec.versions.len() > 1
        && crd.spec.conversion.is_none()
        && committed["spec"]["conversion"]["strategy"] == "Webhook"
        && let Some(spec) = committed["spec"].as_object_mut()
    {
        spec.remove("conversion");
    }
    normalise(&mut committed);
    normalise(&mut derived);
    committed == derived
}

/// YAML does not distinguish `0` from `0.0`, and the files leave out formats that no API server knows, such as `uint16`.
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

/// The violations of the rules for structural schemas in a part of a schema.
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

/// A branch may only restrict the fields of the schema around it.
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
