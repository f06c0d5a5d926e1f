//! The webhooks of the operator, as the API server calls them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hyper::Method;
use serde_json::{Value, json};

use super::beside::http;
use super::{SECRETS, SHOPS, Suite, releases, suite, unanswered};
use crate::cluster::case::soon;
use crate::support::certificate;
use crate::support::control_plane::{ControlPlane, eventually};

const NAMESPACE: &str = "hooks";

/// Where the operator keeps its certificate.
pub(super) const KEPT: (&str, &str) = ("shop-system", "webhook-server-cert");

pub(super) const CONFIGURATIONS: [&str; 2] = [
    "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
];

/// A certificate that the operator finds: it is good, but its authority has less than a third of its time left.
pub(super) fn prepare(plane: &ControlPlane) {
    let hosts = ["webhook-service.shop-system.svc", "localhost", "127.0.0.1"];
    let secret = certificate::secret(KEPT.1, &hosts, (-300, 65), (-1, 60));
    plane.api().create(&SECRETS.all(KEPT.0), &secret);
}

/// Has the API server call the operator for the shops of this namespace.
fn install(suite: &Suite) {
    suite.namespace(NAMESPACE);
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
    for (path, object) in CONFIGURATIONS.into_iter().zip([mutating, validating]) {
        suite.plane.api().create(path, &object);
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
    let Some(suite) = &suite() else { return };
    install(suite);
    let bad = json!({"port": 80});
    soon("the API server asks the operator", || {
        create(suite, "?dryRun=All", "bad", &bad).0 == 422
    });
    changes_its_authority(suite);
    unanswered::the_failure_policy_decides(suite);
    is_completed(suite);
    is_refused_as_by_the_api_server(suite, &bad);
    is_compared(suite);
    is_seen_beside_others(suite);

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
    releases::come_and_go(suite);
}

/// First both authorities are trusted, then the new one signs the certificate. No call fails meanwhile.
fn changes_its_authority(suite: &Suite) {
    let api = suite.plane.api();
    let kept = || suite.get(SECRETS, KEPT.0, KEPT.1)["data"].clone();
    let before = kept();
    let bundle = before["ca.crt"].as_str().expect("authorities");
    let authorities = BASE64_STANDARD.decode(bundle).expect("base64");
    let authorities = String::from_utf8(authorities).expect("PEM");
    assert_eq!(authorities.matches("BEGIN CERTIFICATE").count(), 2);
    for path in CONFIGURATIONS {
        soon("both are trusted", || {
            let configuration = api.get(&format!("{path}/shops"));
            configuration["webhooks"][0]["clientConfig"]["caBundle"] == bundle
        });
    }

    let is_over = AtomicBool::new(false);
    let calls = || {
        let mut count = 0;
        while !is_over.load(Ordering::Relaxed) {
            let (code, answer) = create(suite, "?dryRun=All", "called", &json!({"port": 80}));
            assert_eq!(code, 422, "{answer}");
            count += 1;
        }
        count
    };
    thread::scope(|scope| {
        let callers = [(); 4].map(|()| scope.spawn(calls));
        let is_new = || (kept()["tls.crt"] != before["tls.crt"]).then_some(());
        eventually(
            "a certificate of the new authority",
            Duration::from_mins(2),
            is_new,
        );
        soon("the operator shows it", || {
            suite.operator.log().matches("certificate reloaded").count() == 2
        });
        // Over new connections, too.
        thread::sleep(Duration::from_secs(1));
        is_over.store(true, Ordering::Relaxed);
        for caller in callers {
            assert!(caller.join().expect("no call fails") > 10);
        }
    });
    assert_eq!(kept()["ca.crt"], bundle, "the old one stays trusted");

    // Whoever replaces a configuration as a whole takes the authorities away.
    let path = format!("{}/shops", CONFIGURATIONS[1]);
    let none = json!([{"op": "remove", "path": "/webhooks/0/clientConfig/caBundle"}]);
    let kind = "application/json-patch+json";
    let (code, _) = api
        .send(Method::PATCH, &path, kind, &none)
        .expect("an answer");
    assert_eq!(code, 200);
    soon("the authorities are back", || {
        api.get(&path)["webhooks"][0]["clientConfig"]["caBundle"] == bundle
    });
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

/// A function that waits looks into the caches of the operator.
fn is_seen_beside_others(suite: &Suite) {
    let create = |query: &str, name: &str| {
        let mut shop = SHOPS.object(name, &json!({}));
        shop["metadata"]["labels"] = json!({"shop.example.com/main": ""});
        let path = format!("{}{query}", SHOPS.all(NAMESPACE));
        let api = suite.plane.api();
        let answer = api.send(Method::POST, &path, "application/json", &shop);
        answer.expect("an answer")
    };
    let (code, shop) = create("", "first");
    assert_eq!(code, 201, "{shop}");
    soon("the webhook sees the first shop", || {
        let (code, status) = create("?dryRun=All", "second");
        let cause = json!({
            "reason": "FieldValueForbidden",
            "message": "Forbidden: `first` is the main shop of the namespace",
            "field": "metadata.labels",
        });
        code == 422 && status["details"]["causes"] == json!([cause])
    });
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
