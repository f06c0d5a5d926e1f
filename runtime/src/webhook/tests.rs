//! Webhooks as the API server calls them, and as other clients may call them.

#[cfg(target_os = "linux")]
mod memory;
mod waiting;

use std::net::{Ipv4Addr, SocketAddr};

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::{Request as Call, StatusCode};
use hyper_util::rt::TokioIo;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::conversion;
use super::defaulting::Defaulting;
use super::handler::HandlerContext;
use super::validator::Validating;
use super::view::View;
use super::{Endpoint, Handlers, Operation, Request, Review, Validator};
use crate::certificate::tests::{Folder, Pair, connect};
use crate::metrics::Metrics;
use crate::{Identity, WebhookOptions};

const DEFAULTS: &str = "/mutate--v1-configmap";
const VALIDATES: &str = "/validate--v1-configmap";

struct State {
    owner: String,
}

fn default(map: &mut ConfigMap, request: &Request<State>) {
    let labels = map.metadata.labels.get_or_insert_default();
    labels
        .entry("owner".to_owned())
        .or_insert_with(|| request.state.owner.clone());
}

fn create(map: &ConfigMap, request: &Request<State>) -> Review {
    let mut review = Review::new();
    let data = map.data.clone().unwrap_or_default();
    for (name, value) in &data {
        match &**value {
            "panic" => panic!("on purpose"),
            "slow" => std::thread::sleep(std::time::Duration::from_secs(2)),
            "odd" => review.warn("odd\nvalue"),
            "wrong" => review.invalid(&format!("data.{name}"), value, "not this"),
            _ => {}
        }
    }
    if data.is_empty() {
        review.required("data", "");
    }
    if request.user() == "mallory" {
        review.deny("not you");
    }
    review
}

fn update(map: &ConfigMap, before: &ConfigMap, _: &Request<State>) -> Review {
    let mut review = Review::new();
    if map.data != before.data || map.metadata.finalizers != before.metadata.finalizers {
        review.forbidden("data", "it cannot be changed");
    }
    review
}

fn delete(map: &ConfigMap, _: &Request<State>) -> Review {
    let mut review = Review::new();
    if map.immutable == Some(true) {
        review.deny("others rely on it");
    }
    review
}

fn given<S>(state: S) -> HandlerContext<S> {
    HandlerContext {
        state: std::sync::Arc::new(state),
        view: View::default(),
    }
}

fn handlers() -> Handlers {
    let given = || {
        let owner = "nobody".to_owned();
        given(State { owner })
    };
    let validator = Validator::new()
        .create(create)
        .update(update)
        .delete(delete);
    let mut handlers = Handlers::default();
    let faults = [
        handlers.add(DEFAULTS, Defaulting::new(given(), default)),
        handlers.add(VALIDATES, Validating::new(given(), validator)),
    ];
    assert_eq!(faults, [None, None]);
    assert_eq!(handlers.convert(conversion::tests::kind()), None);
    handlers
}

/// A server of webhooks, with a certificate from files.
struct Served {
    address: SocketAddr,
    _folder: Folder,
    pair: Pair,
    metrics: Metrics,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Served {
    fn start(name: &str) -> Self {
        Self::with(name, handlers())
    }

    fn with(name: &str, handlers: Handlers) -> Self {
        let (folder, pair) = (Folder::new(name), Pair::new());
        folder.write(&pair, &pair);
        let options = WebhookOptions {
            webhook_port: 0,
            webhook_cert_path: folder.files().certificate.parent().map(Into::into),
            ..WebhookOptions::default()
        };
        let endpoint = Endpoint::bind(&options, None, handlers).unwrap().unwrap();
        let port = endpoint.address().port();
        let metrics = Metrics::new(&Identity::new("test", "1.0.0"));
        let stop = CancellationToken::new();
        let task = tokio::spawn(endpoint.serve(metrics.clone(), stop.clone()));
        Self {
            address: (Ipv4Addr::LOCALHOST, port).into(),
            _folder: folder,
            pair,
            metrics,
            stop,
            task,
        }
    }

    /// Sends a body, and returns the response.
    async fn send(&self, path: &str, type_: &str, body: Vec<u8>) -> (StatusCode, String) {
        let stream = connect(self.address, &self.pair.der).await.unwrap();
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        let call = Call::post(path)
            .header("host", "webhook")
            .header("content-type", type_)
            .body(Full::new(Bytes::from(body)))
            .unwrap();
        let answer = sender.send_request(call).await.unwrap();
        let code = answer.status();
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        (code, String::from_utf8(body.to_vec()).unwrap())
    }

    /// Sends a review, and returns the response.
    async fn ask(&self, path: &str, request: Value) -> (StatusCode, String) {
        let mut review = json!({
            "apiVersion": "admission.k8s.io/v1",
            "kind": "AdmissionReview",
            "request": {
                "uid": "705ab4f5",
                "kind": {"group": "", "version": "v1", "kind": "ConfigMap"},
                "name": "a",
                "namespace": "shop",
                "userInfo": {"username": "alice"},
            },
        });
        for (key, value) in request.as_object().unwrap() {
            review["request"][key] = value.clone();
        }
        let body = review.to_string().into_bytes();
        self.send(path, "application/json", body).await
    }

    /// Sends a review, and checks that the response belongs to it.
    async fn review(&self, path: &str, request: Value) -> Value {
        let (code, answer) = self.ask(path, request).await;
        assert_eq!(code, StatusCode::OK, "{answer}");
        let mut answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["apiVersion"], "admission.k8s.io/v1");
        assert_eq!(answer["kind"], "AdmissionReview");
        assert_eq!(answer["response"]["uid"], "705ab4f5");
        answer["response"].take()
    }

    async fn end(self) {
        self.stop.cancel();
        self.task.await.unwrap();
    }
}

fn map(data: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data})
}

fn created(data: &Value) -> Value {
    json!({"operation": "CREATE", "object": map(data)})
}

fn patch(response: &Value) -> Value {
    let patch: ByteString = serde_json::from_value(response["patch"].clone()).unwrap();
    serde_json::from_slice(&patch.0).unwrap()
}

#[tokio::test]
async fn what_is_missing_is_set_and_nothing_else() {
    let served = Served::start("defaults");
    let response = served.review(DEFAULTS, created(&json!({}))).await;
    assert_eq!(response["allowed"], true);
    assert_eq!(response["patchType"], "JSONPatch");
    let labels = json!({"owner": "nobody"});
    let add = json!([{"op": "add", "path": "/metadata/labels", "value": labels}]);
    assert_eq!(patch(&response), add);

    let mut object = map(&json!({}));
    object["metadata"]["labels"] = labels;
    let request = json!({"operation": "UPDATE", "object": object, "oldObject": object});
    let response = served.review(DEFAULTS, request).await;
    assert_eq!(response, json!({"uid": "705ab4f5", "allowed": true}));
    // Objects that the type cannot parse are left to the schema.
    let odd = json!({"operation": "CREATE", "object": {"metadata": {"labels": 1}}});
    assert_eq!(served.review(DEFAULTS, odd).await["allowed"], true);
    let deleted = json!({"operation": "DELETE", "object": null, "oldObject": map(&json!({}))});
    assert_eq!(served.review(DEFAULTS, deleted).await["allowed"], true);
    served.end().await;
}

#[tokio::test]
async fn what_is_wrong_is_said_as_the_api_server_says_it() {
    let served = Served::start("invalid");
    let response = served
        .review(VALIDATES, created(&json!({"b": "wrong", "c": "odd"})))
        .await;
    let message = "Invalid value: \"wrong\": not this";
    let status = json!({
        "code": 422,
        "reason": "Invalid",
        "message": format!("ConfigMap \"a\" is invalid: data.b: {message}"),
        "details": {"name": "a", "group": "", "kind": "ConfigMap", "causes": [
            {"reason": "FieldValueInvalid", "message": message, "field": "data.b"},
        ]},
    });
    assert_eq!(response["status"], status);
    assert_eq!(response["allowed"], false);
    assert_eq!(response["warnings"], json!(["odd value"]));

    let mut request = created(&json!({"b": "c"}));
    assert_eq!(
        served.review(VALIDATES, request.clone()).await["allowed"],
        true
    );
    request["userInfo"] = json!({"username": "mallory"});
    let status = json!({"code": 403, "reason": "Forbidden", "message": "not you"});
    assert_eq!(served.review(VALIDATES, request).await["status"], status);
    served.end().await;
}

#[tokio::test]
async fn changes_are_compared_and_deletions_are_asked_for() {
    let served = Served::start("operations");
    let (old, new) = (map(&json!({"b": "1"})), map(&json!({"b": "2"})));
    let changed = json!({"operation": "UPDATE", "object": new, "oldObject": old});
    let response = served.review(VALIDATES, changed).await;
    let cause = &response["status"]["details"]["causes"][0];
    assert_eq!(cause["reason"], "FieldValueForbidden");

    // The last finalizer can be removed, even if the validator would reject the object by now.
    let mut going = old.clone();
    going["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    going["metadata"]["finalizers"] = json!(["example.com/a"]);
    let mut gone = going.clone();
    gone["metadata"]["finalizers"] = json!([]);
    let finalized = json!({"operation": "UPDATE", "object": gone, "oldObject": going});
    assert_eq!(served.review(VALIDATES, finalized).await["allowed"], true);
    gone["data"] = new["data"].clone();
    let changed = json!({"operation": "UPDATE", "object": gone, "oldObject": going});
    assert_eq!(served.review(VALIDATES, changed).await["allowed"], false);

    let mut kept = old.clone();
    kept["immutable"] = json!(true);
    let deleted = json!({"operation": "DELETE", "oldObject": kept});
    let response = served.review(VALIDATES, deleted).await;
    assert_eq!(response["status"]["message"], "others rely on it");
    let deleted = json!({"operation": "DELETE", "oldObject": old});
    assert_eq!(served.review(VALIDATES, deleted).await["allowed"], true);
    served.end().await;
}

/// Objects that an older release wrote can be corrected and deleted.
#[tokio::test]
async fn an_object_that_cannot_be_read_is_not_stuck() {
    let served = Served::start("unreadable");
    let odd = json!({"metadata": {"name": "a"}, "data": 1});
    let create = json!({"operation": "CREATE", "object": odd});
    let status = &served.review(VALIDATES, create).await["status"];
    assert_eq!(status["code"], 400);
    let message = status["message"].as_str().unwrap();
    assert!(message.starts_with("cannot read the object: "), "{message}");

    let corrected =
        json!({"operation": "UPDATE", "object": map(&json!({"b": "1"})), "oldObject": odd});
    let response = served.review(VALIDATES, corrected).await;
    assert_eq!(response["allowed"], true);
    assert!(response["warnings"][0].is_string());
    let deleted = json!({"operation": "DELETE", "oldObject": odd});
    assert_eq!(served.review(VALIDATES, deleted).await["allowed"], true);
    served.end().await;
}

#[tokio::test]
async fn a_panic_and_a_slow_function_are_answered() {
    let served = Served::start("panic");
    let response = served
        .review(VALIDATES, created(&json!({"b": "panic"})))
        .await;
    assert_eq!(response["status"]["code"], 500);
    let path = format!("{VALIDATES}?timeout=1s");
    let (code, why) = served.ask(&path, created(&json!({"b": "slow"}))).await;
    assert_eq!(
        code,
        StatusCode::GATEWAY_TIMEOUT,
        "no review: the failure policy decides"
    );
    assert_eq!(
        why,
        format!("the webhook at {VALIDATES} did not answer in time")
    );

    let text = served.metrics.text().unwrap();
    for line in [
        "controller_runtime_webhook_panics_total 1",
        "controller_runtime_webhook_requests_total{webhook=\"/validate--v1-configmap\",code=\"200\"} 1",
        "controller_runtime_webhook_requests_total{webhook=\"/validate--v1-configmap\",code=\"504\"} 1",
        "controller_runtime_webhook_requests_total{webhook=\"/mutate--v1-configmap\",code=\"500\"} 0",
        "controller_runtime_webhook_requests_in_flight{webhook=\"/validate--v1-configmap\"} 0",
        "controller_runtime_webhook_latency_seconds_count{webhook=\"/validate--v1-configmap\"} 2",
    ] {
        assert!(text.lines().any(|known| known == line), "{line}\n{text}");
    }
    served.end().await;
}

/// All kinds are converted at one path, and failures have a message.
#[tokio::test]
async fn objects_are_converted() {
    let served = Served::start("conversion");
    let app = |at: Value| {
        json!({
            "apiVersion": "shop.example.com/v1", "kind": "App",
            "metadata": {"name": "web", "uid": "1"}, "spec": {"at": at},
        })
    };
    let convert = async |objects: Value| {
        let review = json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "ConversionReview",
            "request": {
                "uid": "705ab4f5",
                "desiredAPIVersion": "shop.example.com/v2",
                "objects": objects,
            },
        });
        let path = "/convert?timeout=30s";
        let body = review.to_string().into_bytes();
        let (code, answer) = served.send(path, "application/json", body).await;
        assert_eq!(code, StatusCode::OK, "{answer}");
        let mut answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["apiVersion"], "apiextensions.k8s.io/v1");
        assert_eq!(answer["kind"], "ConversionReview");
        assert_eq!(answer["response"]["uid"], "705ab4f5");
        answer["response"].take()
    };
    let response = convert(json!([app(json!("10:30:00")), app(json!(1))])).await;
    assert_eq!(response["result"], json!({"status": "Success"}));
    let objects = response["convertedObjects"].as_array().unwrap();
    assert_eq!(
        (objects.len(), &objects[0]["spec"]["minute"]),
        (2, &json!(30))
    );
    assert_eq!(objects[1]["spec"], Value::Null);

    let response = convert(json!([app(json!("13:13:13"))])).await;
    assert_eq!(response["result"]["status"], "Failure");
    let why = response["result"]["message"].as_str().unwrap();
    assert!(
        why.contains("App web") && why.ends_with("panicked"),
        "{why}"
    );
    let response = convert(json!(1)).await;
    assert_eq!(response["result"]["status"], "Failure");

    let text = served.metrics.text().unwrap();
    for line in [
        "controller_runtime_webhook_panics_total 1",
        "controller_runtime_webhook_requests_total{webhook=\"/convert\",code=\"200\"} 3",
        "controller_runtime_webhook_latency_seconds_count{webhook=\"/convert\"} 3",
        "operator_conversion_unreadable_objects_total{group=\"shop.example.com\",version=\"v1\",kind=\"App\"} 1",
        "operator_conversion_unreadable_objects_total{group=\"shop.example.com\",version=\"v3\",kind=\"App\"} 0",
    ] {
        assert!(text.lines().any(|known| known == line), "{line}\n{text}");
    }
    let (code, _) = served
        .send("/convert", "application/json", b"{}".to_vec())
        .await;
    assert_eq!(code, StatusCode::BAD_REQUEST);
    served.end().await;
}

/// An operator without admission webhooks also serves its conversions, and nothing else has their path.
#[test]
fn conversions_alone_are_served() {
    let mut handlers = Handlers::default();
    assert!(handlers.get("/convert").is_none());
    assert_eq!(handlers.convert(conversion::tests::kind()), None);
    assert!(!handlers.is_empty() && handlers.get("/convert").is_some());
    assert_eq!(handlers.paths().collect::<Vec<_>>(), ["/convert"]);
    let other = || Validating::new(given(()), Validator::<ConfigMap>::new());
    let fault = "two webhooks have the path `/convert`";
    assert_eq!(handlers.add("/convert", other()).unwrap(), fault);
    let mut handlers = Handlers::default();
    assert_eq!(handlers.add("/convert", other()), None);
    assert_eq!(handlers.convert(conversion::tests::kind()).unwrap(), fault);
}

#[tokio::test]
async fn what_is_no_review_is_refused() {
    let served = Served::start("malformed");
    let json = "application/json";
    for (path, type_, body, code) in [
        ("/", json, "{}", 404),
        (VALIDATES, "text/plain", "{}", 415),
        (VALIDATES, json, "", 400),
        (VALIDATES, json, "{}", 400),
        (VALIDATES, json, "[1]", 400),
        (VALIDATES, json, "{\"request\": null}", 400),
    ] {
        let (answered, why) = served.send(path, type_, body.into()).await;
        assert_eq!(answered, code, "{body}");
        assert!(!why.is_empty());
    }
    let (code, _) = served.send(VALIDATES, json, vec![b' '; 9 << 20]).await;
    assert_eq!(code, StatusCode::PAYLOAD_TOO_LARGE);
    // As large as the API server sends them.
    let large = created(&json!({"b": "x".repeat(7 << 20)}));
    assert_eq!(served.review(VALIDATES, large).await["allowed"], true);
    served.end().await;
}

/// The response to an invalid review has its uid, if the review has one.
#[tokio::test]
async fn a_broken_review_is_denied_under_its_uid() {
    let served = Served::start("broken");
    let whole = created(&json!({"b": "c"}));
    for field in [
        "kind",
        "operation",
        "name",
        "namespace",
        "userInfo",
        "dryRun",
        "object",
    ] {
        for broken in [json!(null), json!(1), json!("x"), json!([]), json!({})] {
            let mut request = whole.clone();
            request[field] = broken.clone();
            let response = served.review(VALIDATES, request).await;
            assert!(response["allowed"].is_boolean(), "{field}: {broken}");
        }
    }
    let mut request = whole.clone();
    request["operation"] = json!("STEAL");
    let response = served.review(VALIDATES, request).await;
    assert_eq!(response["allowed"], false);
    assert_eq!(response["status"]["code"], 400);
    served.end().await;
}

#[tokio::test]
async fn a_certificate_that_is_not_there_yet_is_waited_for() {
    let folder = Folder::new("later");
    let options = WebhookOptions {
        webhook_port: 0,
        webhook_cert_path: folder.files().certificate.parent().map(Into::into),
        ..WebhookOptions::default()
    };
    let endpoint = Endpoint::bind(&options, None, handlers()).unwrap().unwrap();
    assert!((endpoint.check().holds)().is_err());
    let pair = Pair::new();
    folder.write(&pair, &pair);
    let endpoint = Endpoint::bind(&options, None, handlers()).unwrap().unwrap();
    assert_eq!((endpoint.check().holds)(), Ok(()));
}

#[test]
fn webhooks_can_be_turned_off() {
    let mut options = WebhookOptions::default();
    assert!(
        Endpoint::bind(&options, None, Handlers::default())
            .unwrap()
            .is_none()
    );
    options.enable_webhooks = false;
    assert!(
        Endpoint::bind(&options, None, handlers())
            .unwrap()
            .is_none()
    );
}

#[test]
fn paths_are_those_that_the_api_server_takes() {
    let add = |path: &str| {
        let mut handlers = handlers();
        let validator = Validator::<ConfigMap>::new();
        handlers.add(path, Validating::new(given(()), validator))
    };
    for path in ["/", "/a", "/validate-app-example-com-v1-app_service/x"] {
        assert_eq!(add(path), None, "{path}");
    }
    for path in [
        "",
        "a",
        "//",
        "/a/",
        "/a b",
        "/a?b",
        "/validate.v1",
        VALIDATES,
    ] {
        assert!(
            add(path).is_some_and(|fault| fault.contains(path)),
            "{path}"
        );
    }
}

#[test]
fn a_request_says_who_asks_for_what() {
    let request = Request::new(Operation::Delete, ()).by("alice").dry_run();
    assert_eq!(request.operation(), Operation::Delete);
    assert_eq!((request.user(), request.is_dry_run()), ("alice", true));
    assert_eq!((request.namespace(), request.subresource()), (None, None));
    assert!(request.groups().is_empty());
}

/// The API server stores objects that are nested 200 levels deep. Fields that the type does not have can be deeper.
#[tokio::test]
async fn deep_objects_are_read() {
    let served = Served::start("deep");
    for depth in [200, 100_000] {
        let deep = "[".repeat(depth) + &"]".repeat(depth);
        let object = format!(r#"{{"metadata":{{"name":"a"}},"data":{{"b":"c"}},"deep":{deep}}}"#);
        for path in [VALIDATES, DEFAULTS] {
            let review = format!(
                r#"{{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{{"uid":"1","kind":{{"kind":"ConfigMap"}},"operation":"CREATE","object":{object}}}}}"#
            );
            let (code, answer) = served.send(path, "application/json", review.into()).await;
            assert_eq!(code, StatusCode::OK);
            let answer: Value = serde_json::from_str(&answer).unwrap();
            assert_eq!(answer["response"]["allowed"], true, "{path} {depth}");
        }
    }
    served.end().await;
}

/// Values of other clients are shortened in logs and responses.
#[tokio::test]
async fn long_values_are_cut() {
    let served = Served::start("long");
    let long = "x".repeat(1 << 20);
    let odd = json!({"metadata": {"name": "a"}, "data": long});
    let mut request = json!({"operation": "CREATE", "object": odd, "name": long});
    let response = served.review(VALIDATES, request.clone()).await;
    assert!(response.to_string().len() < 1 << 10);
    request["operation"] = json!(long);
    let response = served.review(VALIDATES, request.clone()).await;
    assert!(response.to_string().len() < 1 << 10);
    request["operation"] = json!("CREATE");
    request["userInfo"] = json!({"username": long});
    let request = to_raw_value(&request).unwrap();
    let call = super::admission::Call::read(&request);
    assert!(call.is_err(), "it has no kind");
    served.end().await;
}

/// Each object with one field takes 640 bytes, but 7 in the review.
#[tokio::test]
async fn an_object_that_is_too_large_is_refused_and_can_be_deleted() {
    let served = Served::start("dense");
    let mut dense = map(&json!({"b": "c"}));
    dense["more"] = (0..1_000_000).map(|_| json!({})).collect();
    let created = json!({"operation": "CREATE", "object": dense});
    for path in [VALIDATES, DEFAULTS] {
        let response = served.review(path, created.clone()).await;
        assert_eq!(response["status"]["code"], 413, "{response}");
        let why = response["status"]["message"].as_str().unwrap();
        assert!(why.contains("reading its fields may take"), "{why}");
    }
    let deleted = json!({"operation": "DELETE", "oldObject": dense});
    let response = served.review(VALIDATES, deleted).await;
    assert_eq!(response["allowed"], true);
    let corrected =
        json!({"operation": "UPDATE", "object": map(&json!({"b": "1"})), "oldObject": dense});
    let response = served.review(VALIDATES, corrected).await;
    assert_eq!(response["allowed"], true, "{response}");
    assert!(response["warnings"][0].is_string());
    served.end().await;
}

/// A function sees the managed fields only if it asks for them.
#[test]
fn managed_fields_are_left_out() {
    let has = |map: &ConfigMap, _: &Request| {
        let mut review = Review::new();
        if map.metadata.managed_fields.is_some() {
            review.warn("it has managed fields");
        }
        review
    };
    let mut object = map(&json!({}));
    object["metadata"]["managedFields"] = json!([{"manager": "a", "fieldsV1": {"f:data": {}}}]);
    let review = json!({
        "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
        "request": {"uid": "1", "kind": {"kind": "ConfigMap"}, "operation": "CREATE", "object": object},
    });
    for (validator, expected) in [
        (Validator::new(), None),
        (
            Validator::new().with_managed_fields(),
            Some("it has managed fields"),
        ),
    ] {
        let mut handlers = Handlers::default();
        let handler = Validating::<ConfigMap, ()>::new(given(()), validator.create(has));
        assert_eq!(handlers.add("/", handler), None);
        let answer = handlers.review("/", &review).unwrap();
        assert_eq!(answer["response"]["warnings"][0].as_str(), expected);
    }
}
