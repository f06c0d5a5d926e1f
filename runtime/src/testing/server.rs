//! The API server of a [`FakeApi`](super::FakeApi), which records requests and can reject them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::{Method, Request, Response, StatusCode, header};
use kube::Client;
use kube::api::ListParams;
use kube::core::Status;
use serde_json::{Value, json};

use super::api_server::{ApiServer, Body, Clock, Target, User};
use super::client::answered;

/// The API server. Clones share it.
#[derive(Clone)]
pub(super) struct Server {
    pub(super) api: ApiServer,
    log: Arc<Mutex<Log>>,
}

#[derive(Default)]
struct Log {
    refusals: Vec<(String, String, StatusCode)>,
    requests: Vec<String>,
    has_new_finalizer: bool,
}

impl Server {
    pub(super) fn new(clock: Clock) -> Self {
        Self {
            api: ApiServer::with_clock(clock),
            log: Arc::default(),
        }
    }

    /// A client whose requests are recorded, and rejected if the test has asked for it.
    pub(super) fn client(&self) -> Client {
        let server = self.clone();
        answered("operator", move |request| server.answer(request))
    }

    pub(super) fn refuse_next(&self, method: &str, part: &str, code: u16) {
        let code = StatusCode::from_u16(code).expect("an HTTP code");
        let refusal = (method.to_owned(), part.to_owned(), code);
        self.log().refusals.push(refusal);
    }

    /// The requests since the last call: `PATCH /apis/…`.
    pub(super) fn take_requests(&self) -> Vec<String> {
        std::mem::take(&mut self.log().requests)
    }

    /// Whether a finalizer was added to an object since the last call.
    pub(super) fn take_new_finalizer(&self) -> bool {
        std::mem::take(&mut self.log().has_new_finalizer)
    }

    /// The selected objects of a collection. Empty for a kind that is not served.
    pub(super) fn list(&self, collection: &str, params: &ListParams) -> Vec<Value> {
        let request = kube::core::Request::new(collection).list(params);
        let (code, mut list) = self.ask(request.expect("a request").map(Bytes::from));
        match list["items"].take() {
            Value::Array(items) if code.is_success() => items,
            _ => Vec::new(),
        }
    }

    /// Stores an object unchanged, replacing any existing one.
    pub(super) fn put(&self, collection: &str, name: &str, mut object: Value) {
        let path = format!("{collection}/{name}");
        self.make_room(&path, &object);
        let (code, live) = self.ask(request(Method::GET, &path, &Value::Null));
        let is_there = code.is_success();
        let uid = object["metadata"]["uid"].take();
        let is_other = is_there && !uid.is_null() && uid != live["metadata"]["uid"];
        if is_other {
            self.remove(&path, live.clone());
        }
        let stored = if is_there && !is_other {
            object["metadata"]["resourceVersion"] = live["metadata"]["resourceVersion"].clone();
            self.write(&request(Method::PUT, &path, &object))
        } else {
            object["metadata"]["resourceVersion"].take();
            self.api
                .create_as_of(object["metadata"]["creationTimestamp"].as_str());
            self.write(&request(Method::POST, collection, &object))
        };
        if !object["status"].is_null() && object["status"] != stored["status"] {
            object["metadata"]["resourceVersion"] = stored["metadata"]["resourceVersion"].clone();
            self.write(&request(Method::PUT, &format!("{path}/status"), &object));
        }
    }

    /// Deletes an object as kubectl does. Returns whether it existed.
    pub(super) fn delete(&self, path: &str) -> bool {
        let (code, _) = self.ask(request(Method::DELETE, path, &Value::Null));
        code.is_success()
    }

    /// Removes an object, regardless of its finalizers.
    fn remove(&self, path: &str, mut live: Value) {
        live["metadata"]["finalizers"].take();
        self.write(&request(Method::PUT, path, &live));
        self.delete(path);
    }

    fn write(&self, request: &Request<Bytes>) -> Value {
        let (code, answer) = self.ask(request.clone());
        let (method, path) = (request.method(), request.uri().path());
        assert!(
            code.is_success(),
            "the API server rejected {method} {path}: {}",
            answer["message"]
        );
        answer
    }

    /// Handles a request of the test itself, which is not recorded.
    fn ask(&self, request: Request<Bytes>) -> (StatusCode, Value) {
        self.api.ask(&User::admin(), request)
    }

    fn answer(&self, request: Request<Bytes>) -> Response<Body> {
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        {
            let mut log = self.log();
            log.requests.push(format!("{method} {path}"));
            let mut refusals = log.refusals.iter();
            let is_meant =
                |(of, part, _): &(String, String, _)| method == **of && path.contains(&**part);
            if let Some(next) = refusals.position(is_meant) {
                return refused(log.refusals.remove(next).2);
            }
        }
        let object = serde_json::from_slice(request.body()).unwrap_or_default();
        self.make_room(&path, &object);
        let adds = adds_finalizer(&object);
        let answer = self.api.answer(&User::admin(), request);
        self.log().has_new_finalizer |= adds && answer.status().is_success();
        answer
    }

    /// Creates the namespace of an object that is about to be written, and serves its kind: without a CRD, its objects
    /// are stored unchanged.
    fn make_room(&self, path: &str, object: &Value) {
        let Some(target) = Target::parse(path) else {
            return;
        };
        if let Some(kind) = object["kind"].as_str()
            && object["apiVersion"] == *target.api_version()
        {
            self.api.serve_unchecked(&target, kind);
        }
        if !target.namespace.is_empty() {
            self.api.add_namespace(&target.namespace);
        }
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn request(method: Method, path: &str, object: &Value) -> Request<Bytes> {
    let body = match object {
        Value::Null => Bytes::new(),
        object => Bytes::from(object.to_string()),
    };
    let request = Request::builder()
        .method(method)
        .uri(format!("{path}?fieldManager=test"))
        .header(header::CONTENT_TYPE, "application/json");
    request.body(body).expect("a request")
}

/// Whether a patch adds a finalizer to an object, as the runtime does.
fn adds_finalizer(patch: &Value) -> bool {
    let mut operations = patch.as_array().into_iter().flatten();
    operations.any(|operation| {
        let path = operation["path"].as_str().unwrap_or_default();
        operation["op"] == "add" && path.starts_with("/metadata/finalizers")
    })
}

/// The response to a request that a test rejects.
fn refused(code: StatusCode) -> Response<Body> {
    let reason = match code.as_u16() {
        403 => "Forbidden",
        404 => "NotFound",
        409 => "Conflict",
        422 => "Invalid",
        429 => "TooManyRequests",
        _ => "",
    };
    let message = code.canonical_reason().unwrap_or_default();
    let status = json!(Status::failure(message, reason).with_code(code.as_u16()));
    let mut response = Response::new(Full::new(Bytes::from(status.to_string())).boxed_unsync());
    *response.status_mut() = code;
    response
}
