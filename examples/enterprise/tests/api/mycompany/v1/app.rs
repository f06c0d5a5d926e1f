//! Validation rules of an `App`.

use my_operator_api::mycompany::v1::App;

use rop_runtime::testing::{check, sample};
use serde_json::{Value, json};

/// Returns the sample, named `web`. Add new required fields to the sample.
fn fixture() -> App {
    sample(
        include_str!("../../../../config/samples/mycompany_v1_app.yaml"),
        "web",
    )
}

fn parse(spec: &Value) -> serde_json::Result<App> {
    let object = json!({ "metadata": { "name": "web" }, "spec": spec });
    serde_json::from_value(object)
}

#[test]
fn the_sample_is_valid() {
    check(&fixture(), None).unwrap();
}

#[test]
fn invalid_names_are_rejected() {
    let check = |name: &str| {
        let mut object = fixture();
        object.metadata.name = Some(name.to_owned());
        check(&object, None)
    };
    for name in ["web", "web-2"] {
        check(name).expect(name);
    }
    for name in ["2nd-web", "web.shop", "Web", "web-", &"x".repeat(64)] {
        check(name).expect_err(name);
    }
}

#[test]
fn unset_fields_have_defaults() {
    let app = parse(&json!({ "image": "nginx", "replicas": 1 })).unwrap();
    let spec = json!({
        "image": "nginx",
        "replicas": 1,
        "port": 8080,
        "config": { "logLevel": "info" },
        "resources": { "requests": {}, "limits": {} },
    });
    assert_eq!(json!(app.spec), spec);
}

#[test]
fn replicas_and_image_are_required_and_levels_are_known() {
    for spec in [
        json!({ "image": "nginx" }),
        json!({ "replicas": 1 }),
        json!({ "image": "nginx", "replicas": 1, "config": { "logLevel": "loud" } }),
    ] {
        parse(&spec).expect_err(&spec.to_string());
    }
}
