//! Only what needs several versions: everything else is compared with a real server.

use std::sync::Mutex;

use super::*;
use crate::testing::api_server::ApiServer;

const GROUP: &str = "/apis/shop.example.com";
const CONFIGURATIONS: &str = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";

fn post(server: &ApiServer, path: &str, object: Value) -> Value {
    let request = hyper::Request::post(path).body(object.to_string().into());
    let (code, answer) = server.ask(&User::admin(), request.expect("a request"));
    assert!(code.is_success(), "{answer}");
    answer
}

/// A server with a kind in two versions, and a webhook for the first one.
fn server(match_policy: &str) -> ApiServer {
    let server = ApiServer::new();
    let schema = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    let version = |name: &str| {
        json!({
            "name": name, "served": true, "storage": name == "v1",
            "schema": { "openAPIV3Schema": schema },
        })
    };
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "gadgets.shop.example.com" },
        "spec": {
            "group": "shop.example.com",
            "scope": "Cluster",
            "names": { "kind": "Gadget", "listKind": "GadgetList", "plural": "gadgets", "singular": "gadget" },
            "versions": [version("v1"), version("v2")],
        },
    });
    server.add_crd(&serde_json::from_value(crd).expect("a CRD"));
    let rule = json!({
        "apiGroups": ["shop.example.com"], "apiVersions": ["v1"], "resources": ["gadgets"],
        "operations": ["CREATE"],
    });
    let configuration = json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
        "metadata": { "name": "gadgets" },
        "webhooks": [{
            "name": "gadgets.shop.example.com",
            "clientConfig": { "url": "https://127.0.0.1:1/mutate" },
            "rules": [rule],
            "matchPolicy": match_policy,
            "admissionReviewVersions": ["v1"],
            "sideEffects": "None",
        }],
    });
    post(&server, CONFIGURATIONS, configuration);
    server
}

/// Creates a gadget in the second version. Returns it, and the reviews of the webhook.
fn created(server: &ApiServer) -> (Value, Vec<Value>) {
    let reviews = Arc::<Mutex<Vec<Value>>>::default();
    let log = Arc::clone(&reviews);
    server.webhooks(move |path, review| {
        assert_eq!(path, "/mutate");
        log.lock().expect("no panic").push(review.clone());
        let patch = json!([{ "op": "add", "path": "/spec", "value": { "size": 1 } }]);
        let patch = k8s_openapi::ByteString(patch.to_string().into_bytes());
        let uid = &review["request"]["uid"];
        let response = json!({ "uid": uid, "allowed": true, "patchType": "JSONPatch", "patch": patch });
        Ok(json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response }))
    });
    let gadget = json!({
        "apiVersion": "shop.example.com/v2", "kind": "Gadget", "metadata": { "name": "one" },
    });
    let gadget = post(server, &format!("{GROUP}/v2/gadgets"), gadget);
    let reviews = std::mem::take(&mut *reviews.lock().expect("no panic"));
    (gadget, reviews)
}

#[tokio::test(start_paused = true)]
async fn a_webhook_for_one_version_sees_others_as_that_one() {
    let (gadget, reviews) = created(&server("Equivalent"));
    let [review] = &*reviews else {
        panic!("called once: {reviews:?}");
    };
    let request = &review["request"];
    assert_eq!(request["kind"]["version"], "v1");
    assert_eq!(request["requestKind"]["version"], "v2");
    assert_eq!(request["object"]["apiVersion"], "shop.example.com/v1");
    assert_eq!(gadget["apiVersion"], "shop.example.com/v2");
    assert_eq!(gadget["spec"]["size"], 1);
}

#[tokio::test(start_paused = true)]
async fn a_webhook_that_matches_exactly_sees_its_version_alone() {
    let (gadget, reviews) = created(&server("Exact"));
    assert!(reviews.is_empty(), "{reviews:?}");
    assert!(gadget["spec"].is_null(), "{gadget}");
}
