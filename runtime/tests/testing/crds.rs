//! CRDs of types, compared with files and with the rules of structural schemas.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{CustomResource, CustomResourceExt as _, KubeSchema};
use rop_runtime::testing::{assert_crds_match, assert_structural, check};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Clone, Debug, Deserialize, Serialize, CustomResource, KubeSchema)]
#[kube(group = "shop.example.com", version = "v1", kind = "Cart")]
#[x_kube(validation = Rule::new("self.items <= self.limit").message("is full"))]
#[x_kube(validation = Rule::new("oldSelf.limit == self.limit").message("cannot be changed"))]
struct CartSpec {
    items: u16,
    limit: u16,
    weight: f64,
}

fn cart(items: u16, limit: u16) -> Cart {
    let weight = 1.0;
    let spec = CartSpec {
        items,
        limit,
        weight,
    };
    Cart::new("web", spec)
}

/// The message of a panic.
fn fault(call: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(call)).expect_err("a panic");
    *panic.downcast::<String>().expect("a message")
}

/// A folder for one test, deleted when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    /// Writes a CRD as rop generates it: without formats that API servers do not know.
    fn write(&self, name: &str, crd: &Value) {
        let text = format!("# Owned by rop\n{crd}\n");
        let text = text.replace("\"format\":\"uint16\",", "");
        fs::write(self.0.join(name), text).expect("a file");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const FILE: &str = "shop.example.com_carts.yaml";

#[test]
fn rules_are_checked() {
    check(&cart(2, 3), None).unwrap();
    let error = check(&cart(4, 3), None).unwrap_err();
    assert!(error.contains("is full"), "{error}");
    check(&cart(1, 3), Some(&cart(2, 3))).unwrap();
    let error = check(&cart(1, 4), Some(&cart(1, 3))).unwrap_err();
    assert!(error.contains("cannot be changed"), "{error}");
}

#[test]
fn a_file_is_that_of_its_type() {
    let folder = Folder::new("crds-of-types");
    let missing = fault(|| assert_crds_match(&[Cart::crd()], &folder.0));
    assert!(missing.starts_with(FILE), "{missing}");
    assert!(
        missing.ends_with("; run `rop generate manifests`"),
        "{missing}"
    );

    folder.write(FILE, &json!(Cart::crd()));
    assert_crds_match(&[Cart::crd()], &folder.0);

    let mut crd = json!(Cart::crd());
    let properties = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties";
    let field = crd.pointer_mut(&format!("{properties}/limit/minimum"));
    *field.expect("a bound") = json!(1);
    folder.write(FILE, &crd);
    assert_eq!(
        fault(|| assert_crds_match(&[Cart::crd()], &folder.0)),
        format!("{FILE} does not match the types; run `rop generate manifests`")
    );

    // The width of a number matters, but not that of an unsigned integer.
    let mut crd = json!(Cart::crd());
    let field = crd.pointer_mut(&format!("{properties}/weight/format"));
    *field.expect("a format") = json!("float");
    folder.write(FILE, &crd);
    fault(|| assert_crds_match(&[Cart::crd()], &folder.0));
}

#[test]
fn a_file_has_a_type() {
    let folder = Folder::new("crds-without-types");
    fs::write(folder.0.join("kustomization.yaml"), "resources: []\n").expect("a file");
    assert_crds_match(&[], &folder.0);
    folder.write(FILE, &json!(Cart::crd()));
    let left = fault(|| assert_crds_match(&[], &folder.0));
    assert!(
        left.starts_with(&format!("no type generates {FILE}: ")),
        "{left}"
    );
}

/// Only the file says which webhook converts the objects of a kind with several versions.
#[test]
fn a_conversion_is_no_part_of_types() {
    let folder = Folder::new("crds-with-conversions");
    let with_conversion = |crd: &CustomResourceDefinition| {
        let mut crd = json!(crd);
        crd["spec"]["conversion"] = json!({ "strategy": "Webhook" });
        crd
    };
    let mut two = Cart::crd();
    let mut older = two.spec.versions[0].clone();
    older.name = "v1alpha1".to_owned();
    two.spec.versions.push(older);
    folder.write(FILE, &with_conversion(&two));
    assert_crds_match(&[two], &folder.0);

    folder.write(FILE, &with_conversion(&Cart::crd()));
    fault(|| assert_crds_match(&[Cart::crd()], &folder.0));
}

/// The CRD with another schema of its `spec`.
fn with_schema(schema: Value) -> CustomResourceDefinition {
    let mut crd = json!(Cart::crd());
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"] = schema;
    serde_json::from_value(crd).expect("a CRD")
}

#[test]
fn schemas_are_structural() {
    let of = |more: Value| {
        let mut schema = json!({ "type": "object" });
        let fields = schema.as_object_mut().expect("an object");
        fields.extend(more.as_object().expect("an object").clone());
        schema
    };
    let text = json!({ "type": "string" });
    let right = [
        json!({ "x-kubernetes-int-or-string": true, "anyOf": [{ "type": "integer" }, { "type": "string" }] }),
        json!({ "x-kubernetes-preserve-unknown-fields": true }),
        of(json!({ "properties": { "a": text }, "oneOf": [{ "required": ["a"] }] })),
        of(
            json!({ "properties": { "a": text }, "not": { "properties": { "a": { "pattern": "x" } } } }),
        ),
        json!({
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["a"],
            "items": of(json!({ "properties": { "a": text }, "required": ["a"] })),
        }),
    ];
    for schema in right {
        assert_structural(&[with_schema(schema)]);
    }
    let wrong = [
        (json!({}), "Cart.spec: has no type"),
        (of(json!({ "$ref": "#/a" })), "Cart.spec: has a $ref"),
        (json!({ "type": "array" }), "Cart.spec: has no items"),
        (
            of(json!({ "properties": {}, "additionalProperties": text })),
            "Cart.spec: has properties and additionalProperties",
        ),
        (
            json!({
                "type": "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["a"],
                "items": of(json!({ "properties": { "a": text } })),
            }),
            "is not required and has no default",
        ),
        (
            of(json!({ "properties": { "a": {} } })),
            "Cart.spec.a: has no type",
        ),
        (
            of(json!({ "additionalProperties": {} })),
            "Cart.spec.additionalProperties: has no type",
        ),
        (
            of(json!({ "oneOf": [{ "type": "object" }] })),
            "Cart.spec.oneOf: has a type",
        ),
        (
            of(json!({ "anyOf": [{ "properties": { "a": {} } }] })),
            "Cart.spec.anyOf.a: is not among the properties",
        ),
        (
            of(
                json!({ "properties": { "a": text }, "not": { "properties": { "a": { "default": "" } } } }),
            ),
            "Cart.spec.not.a: has a default",
        ),
    ];
    for (schema, expected) in wrong {
        let found = fault(|| assert_structural(&[with_schema(schema)]));
        assert!(found.contains(expected), "{expected}: {found}");
    }
}
