//! The webhooks of the operator, as the API server calls them.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hyper::Method;
use serde_json::{Value, json};

use super::beside::http;
use super::{SHOPS, Suite, suite};
use crate::cluster::case::soon;

const NAMESPACE: &str = "hooks";

/// Has the API server call the operator for the shops of this namespace.
fn install(suite: &Suite) {
    suite.namespace(NAMESPACE);
    let (certificate, _) = suite.plane.certificate();
    let authority = std::fs::read(certificate).expect("a certificate");
    let configuration = |kind: &str, path: &str, operations: Value| {
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": format!("{kind}WebhookConfiguration"),
            "metadata": {"name": "shops"},
            "webhooks": [{
                "name": "shops.example.com",
                "admissionReviewVersions": ["v1"],
                "sideEffects": "None",
                "timeoutSeconds": 5,
                "clientConfig": {
                    "url": format!("https://127.0.0.1:{}{path}", suite.webhooks),
                    "caBundle": BASE64_STANDARD.encode(&authority),
                },
                "namespaceSelector": {
                    "matchLabels": {"kubernetes.io/metadata.name": NAMESPACE},
                },
                "rules": [{
                    "apiGroups": ["shop.example.com"],
                    "apiVersions": ["v1"],
                    "operations": operations,
                    "resources": ["shops"],
                }],
            }],
        })
    };
    let changes = json!(["CREATE", "UPDATE"]);
    let mutating = configuration("Mutating", "/mutate-shop-example-com-v1-shop", changes);
    let all = json!(["CREATE", "UPDATE", "DELETE"]);
    let validating = configuration("Validating", "/validate-shop-example-com-v1-shop", all);
    for (plural, object) in [
        ("mutatingwebhookconfigurations", mutating),
        ("validatingwebhookconfigurations", validating),
    ] {
        let path = format!("/apis/admissionregistration.k8s.io/v1/{plural}");
        suite.plane.api().create(&path, &object);
    }
}

/// The answer to the creation of a shop.
fn create(suite: &Suite, query: &str, name: &str, spec: &Value) -> (u16, Value) {
    let path = format!("{}{query}", SHOPS.all(NAMESPACE));
    let shop = SHOPS.object(name, spec);
    let api = suite.plane.api();
    let answer = api.send(Method::POST, &path, "application/json", &shop);
    answer.expect("an answer")
}

#[test]
fn objects_are_completed_and_refused_before_they_are_stored() {
    let Some(suite) = suite() else { return };
    install(suite);
    let bad = json!({"port": 80});
    soon("the API server asks the operator", || {
        create(suite, "?dryRun=All", "bad", &bad).0 == 422
    });
    is_completed(suite);
    is_refused_as_by_the_api_server(suite, &bad);
    is_compared(suite);

    let deleted = || {
        let path = SHOPS.one(NAMESPACE, "kept");
        let api = suite.plane.api();
        let answer = api.send(Method::DELETE, &path, "application/json", &Value::Null);
        answer.expect("an answer")
    };
    let kept = json!({"labels": {"keep": "yes"}});
    assert_eq!(create(suite, "", "kept", &kept).0, 201);
    let (code, status) = deleted();
    assert_eq!((code, &status["reason"]), (403, &json!("Forbidden")));
    let message = status["message"].as_str().expect("a message");
    assert!(
        message.ends_with("denied the request: it is to be kept"),
        "{message}"
    );

    let metrics = http(suite.metrics, "/metrics");
    let path = "/validate-shop-example-com-v1-shop";
    let counted = format!("webhook_requests_total{{webhook=\"{path}\",code=\"200\"}}");
    assert!(metrics.contains(&counted), "{metrics}");
}

/// The operator's state is at hand, and what the type does not know stays.
fn is_completed(suite: &Suite) {
    let spec = json!({"port": 8080, "unknown": [1]});
    let (code, shop) = create(suite, "", "web", &spec);
    assert_eq!(code, 201, "{shop}");
    let whole = json!({"greeting": "Welcome to hooks", "port": 8080, "unknown": [1]});
    assert_eq!(shop["spec"], whole);
    suite.is_ready(NAMESPACE, "web", "True", "Open");
}

/// kubectl shows it as it shows what is wrong with built-in kinds.
fn is_refused_as_by_the_api_server(suite: &Suite, spec: &Value) {
    let (code, status) = create(suite, "", "bad", spec);
    assert_eq!((code, &status["reason"]), (422, &json!("Invalid")));
    let cause = json!({
        "reason": "FieldValueInvalid",
        "message": "Invalid value: 80: the first 1024 are for root",
        "field": "spec.port",
    });
    assert_eq!(status["details"]["causes"], json!([cause]));

    let mut shop = SHOPS.object("bad", spec);
    shop["metadata"]["namespace"] = json!(NAMESPACE);
    let refused = suite.plane.apply(&shop.to_string());
    let said = String::from_utf8_lossy(&refused.stderr);
    let expected =
        "The Shop \"bad\" is invalid: spec.port: Invalid value: 80: the first 1024 are for root";
    assert!(said.contains(expected), "{said}");
    shop["spec"] = json!({"pods": true});
    let warned = suite.plane.apply(&shop.to_string());
    let said = String::from_utf8_lossy(&warned.stderr);
    assert!(
        said.contains("Warning: spec.pods: nobody watches pods"),
        "{said}"
    );
}

/// Only what changes is judged.
fn is_compared(suite: &Suite) {
    let change = |spec: Value| {
        let path = SHOPS.one(NAMESPACE, "web");
        let (kind, patch) = ("application/merge-patch+json", json!({ "spec": spec }));
        let answer = suite.plane.api().send(Method::PATCH, &path, kind, &patch);
        answer.expect("an answer").0
    };
    assert_eq!(change(json!({"zone": "a"})), 200);
    assert_eq!(change(json!({"zone": "b"})), 422);
    assert_eq!(change(json!({"port": 1})), 422);
    assert_eq!(change(json!({"greeting": ""})), 200);
    let shop = suite.get(SHOPS, NAMESPACE, "web");
    assert_eq!(shop["spec"]["greeting"], "Welcome to hooks");
}
