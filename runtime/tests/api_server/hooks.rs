//! Webhooks that both servers call: their responses only depend on the reviews, and the reviews are compared, too.

use std::sync::{Arc, Mutex};

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use k8s_openapi::ByteString;
use rop_runtime::testing::api_server::ApiServer;

use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

/// The reviews of the webhooks of a server.
#[derive(Clone, Default)]
pub(crate) struct Asked(Arc<Mutex<Vec<(String, Value)>>>);

impl Asked {
    /// The reviews since the last call, by path, because validating webhooks are called in parallel.
    pub(crate) fn take(&self) -> Value {
        let mut asked = std::mem::take(&mut *self.0.lock().expect("no panic"));
        // The real server starts again if its cache was late: reviews of an older object have no effect.
        let object = |review: &Value| review["request"]["oldObject"]["metadata"].clone();
        let latest: Vec<Value> = asked.iter().map(|(_, review)| object(review)).collect();
        asked.retain(|(_, review)| {
            let this = object(review);
            let last = latest.iter().rfind(|object| object["uid"] == this["uid"]);
            last.is_none_or(|last| last["resourceVersion"] == this["resourceVersion"])
        });
        asked.sort_by(|(one, _), (other, _)| one.cmp(other));
        let asked = asked.into_iter().map(|(path, mut review)| {
            // Only identifies the review.
            review["request"]["uid"] = json!("a review");
            // The user and the client are not compared.
            review["request"]["userInfo"].take();
            review["request"]["options"].take();
            without_empty_metadata(&mut review["request"]["object"]);
            without_empty_metadata(&mut review["request"]["oldObject"]);
            json!({ "path": path, "review": review })
        });
        // Or its cache was not late, and it sends the same review again.
        let mut asked: Vec<Value> = asked.collect();
        asked.dedup();
        asked.into()
    }

    fn answer(&self, path: &str, review: &Value) -> Result<Value, String> {
        let asked = (path.to_owned(), review.clone());
        self.0.lock().expect("no panic").push(asked);
        answer(path, review)
    }
}

/// An apply may have empty labels, owners and finalizers: the in-memory server drops them early. The real one drops the
/// managers of an invalid object, which is found later.
fn without_empty_metadata(object: &mut Value) {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
        metadata.retain(|_, value| *value != json!({}) && *value != json!([]));
    }
}

/// Lets the in-memory server call the webhooks.
pub(crate) fn answer_in_memory(server: &ApiServer) -> Asked {
    let asked = Asked::default();
    let log = asked.clone();
    server.webhooks(move |path, review| log.answer(path, review));
    asked
}

/// Handles a review sent to a path.
pub(crate) type Answers = Arc<dyn Fn(&str, &Value) -> Result<Value, String> + Send + Sync>;

/// Serves the webhooks of [`answer_in_memory`] on a port. Returns the address, and the certificate to trust.
pub(crate) async fn serve() -> (Asked, String, String) {
    let asked = Asked::default();
    let log = asked.clone();
    let answers = Arc::new(move |path: &str, review: &Value| log.answer(path, review));
    let (address, certificate) = serve_with(answers).await;
    (asked, address, certificate)
}

/// Serves webhooks on a port with TLS. Returns the address, and the certificate to trust.
#[expect(clippy::disallowed_methods, reason = "nothing of it is simulated")]
pub(crate) async fn serve_with(answers: Answers) -> (String, String) {
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("a certificate");
    let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
    let config = ServerConfig::builder_with_provider(Arc::new(
        tokio_rustls::rustls::crypto::ring::default_provider(),
    ));
    let config = config.with_safe_default_protocol_versions().expect("TLS");
    let config = config.with_no_client_auth();
    let config = config.with_single_cert(vec![made.cert.der().clone()], key);
    let acceptor = TlsAcceptor::from(Arc::new(config.expect("a key")));
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, answers) = (acceptor.clone(), Arc::clone(&answers));
            tokio::spawn(async move {
                let Ok(stream) = acceptor.accept(stream).await else {
                    return;
                };
                let answer = service_fn(move |request| respond(Arc::clone(&answers), request));
                let connection = hyper::server::conn::http1::Builder::new();
                let _ = connection
                    .serve_connection(TokioIo::new(stream), answer)
                    .await;
            });
        }
    });
    (format!("https://{address}"), made.cert.pem())
}

async fn respond(
    answers: Answers,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, hyper::Error> {
    let path = request.uri().path().to_owned();
    let body = request.into_body().collect().await?.to_bytes();
    let review = serde_json::from_slice(&body).unwrap_or_default();
    let (code, text) = match answers(&path, &review) {
        Ok(answer) => (StatusCode::OK, answer.to_string()),
        Err(why) => (StatusCode::INTERNAL_SERVER_ERROR, why),
    };
    let response = Response::builder().status(code);
    let response = response.header("content-type", "application/json");
    Ok(response.body(Full::from(text)).expect("an answer"))
}

/// The webhook configurations of both servers: `at` is the address of the webhooks.
pub(crate) fn configurations(at: &str, certificate: &str) -> Vec<(&'static str, Value)> {
    let trusted = ByteString(certificate.as_bytes().to_vec());
    let webhook = |name: &str, groups: &str, resources: &str, operations: &str, more: Value| {
        let words = |list: &str| -> Vec<String> { list.split(' ').map(str::to_owned).collect() };
        let mut webhook = json!({
            "name": format!("{name}.example.com"),
            "clientConfig": { "url": format!("{at}/{name}"), "caBundle": trusted },
            "rules": [{
                // A Service has an `IPAddress`, which is cluster-scoped.
                "scope": "Namespaced",
                "apiGroups": [groups], "apiVersions": ["*"], "resources": words(resources),
                "operations": words(operations),
            }],
            "admissionReviewVersions": ["v1"],
            "sideEffects": "None",
        });
        for (field, value) in more.as_object().into_iter().flatten() {
            webhook[field] = value.clone();
        }
        webhook
    };
    let outside = json!({ "matchExpressions": [
        { "key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["kube-system"] },
    ] });
    let mutating = [
        webhook(
            "mark",
            "shop.example.com",
            "gadgets",
            "CREATE UPDATE",
            json!({ "namespaceSelector": outside }),
        ),
        webhook(
            "of-x",
            "",
            "configmaps",
            "*",
            json!({ "objectSelector": { "matchLabels": { "app": "x" } } }),
        ),
        webhook(
            "elsewhere",
            "*",
            "*/*",
            "*",
            json!({ "namespaceSelector": { "matchLabels": { "app": "x" } } }),
        ),
    ];
    // The real server renews its own Leases.
    let broken = json!({ "failurePolicy": "Ignore", "namespaceSelector": outside });
    let of_x = json!({ "objectSelector": { "matchExpressions": [
        { "key": "app", "operator": "In", "values": ["x"] },
    ] } });
    let validating = [
        webhook(
            "judge",
            "*",
            "gadgets configmaps deployments",
            "CREATE UPDATE DELETE",
            json!({}),
        ),
        webhook("judge-status", "*", "gadgets/status", "UPDATE", json!({})),
        webhook("broken-leases", "*", "leases", "CREATE UPDATE", broken),
        webhook("broken-services", "", "services", "DELETE", of_x),
    ];
    let configuration = |kind: &str, webhooks: Value| {
        let version = "admissionregistration.k8s.io/v1";
        json!({ "apiVersion": version, "kind": kind, "metadata": { "name": "hooks" }, "webhooks": webhooks })
    };
    vec![
        (
            "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
            configuration("MutatingWebhookConfiguration", json!(mutating)),
        ),
        (
            "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
            configuration("ValidatingWebhookConfiguration", json!(validating)),
        ),
    ]
}

/// The response of the webhook at a path.
fn answer(path: &str, review: &Value) -> Result<Value, String> {
    let request = &review["request"];
    let object = match &request["object"] {
        Value::Null => &request["oldObject"],
        object => object,
    };
    let mut response = match path {
        "/mark" => patched(&mark(object)),
        "/of-x" => {
            patched(&json!([{ "op": "add", "path": "/data", "value": { "x": "of a webhook" } }]))
        }
        "/judge" => judge(&request["operation"], object),
        "/judge-status" if object["status"]["phase"] == "Down" => {
            json!({ "allowed": false, "status": { "reason": "Down" } })
        }
        "/judge-status" => json!({ "allowed": true }),
        path => return Err(format!("{path} is broken")),
    };
    response["uid"] = request["uid"].clone();
    Ok(json!({ "apiVersion": review["apiVersion"], "kind": review["kind"], "response": response }))
}

fn patched(patch: &Value) -> Value {
    let patch = ByteString(patch.to_string().into_bytes());
    json!({ "allowed": true, "patchType": "JSONPatch", "patch": patch })
}

/// Sets a label, an unknown field, a field with a default, and sometimes an invalid field.
fn mark(object: &Value) -> Value {
    let label = if object["metadata"]["labels"].is_null() {
        json!({ "op": "add", "path": "/metadata/labels", "value": { "hooked": "yes" } })
    } else {
        json!({ "op": "add", "path": "/metadata/labels/hooked", "value": "yes" })
    };
    let mut patch = vec![label];
    if object["spec"].is_object() {
        patch.push(json!({ "op": "add", "path": "/spec/ofAWebhook", "value": 1 }));
        if object["spec"]["port"] == 80 {
            patch.push(
                json!({ "op": "add", "path": "/spec/target", "value": { "name": "hooked" } }),
            );
        }
        if object["spec"]["code"] == "abc" {
            patch.push(json!({ "op": "add", "path": "/spec/replicas", "value": 99 }));
        }
        if object["metadata"]["name"] == "c" {
            patch.push(json!({ "op": "remove", "path": "/spec/nothing" }));
        }
    }
    json!(patch)
}

fn judge(operation: &Value, object: &Value) -> Value {
    let denied = |status: Value| json!({ "allowed": false, "status": status });
    if operation == "DELETE" && object["metadata"]["name"] == "c" {
        return denied(json!({ "code": 403, "reason": "Forbidden", "message": "c stays" }));
    }
    if object["data"]["y"] == "2" {
        let cause = json!({ "field": "data.y", "reason": "FieldValueInvalid", "message": "not 2" });
        let details = json!({ "name": "it", "kind": "ConfigMap", "causes": [cause] });
        return denied(
            json!({ "code": 422, "reason": "Invalid", "message": "y is 2", "details": details }),
        );
    }
    match (&object["spec"]["paused"], &object["spec"]["mode"]) {
        (Value::Bool(true), _) => json!({ "allowed": false }),
        (_, mode) if mode == "fast" && operation == "UPDATE" => {
            denied(json!({ "code": 200, "message": "too fast" }))
        }
        _ => json!({ "allowed": true, "warnings": ["seen"] }),
    }
}
