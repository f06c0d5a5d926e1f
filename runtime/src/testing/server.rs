//! Answers requests.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyper::{Method, Request, Response, StatusCode, Uri};
use kube::Client;
use kube::client::Body;
use kube::core::Status;
use serde_json::{Value, json};
use tower::service_fn;

use super::store::Store;

/// The API server. A clone of it is the same one.
#[derive(Clone, Default)]
pub(super) struct Server(Arc<Mutex<State>>);

#[derive(Default)]
pub(super) struct State {
    refusals: Vec<(String, String, StatusCode)>,
    pub(super) requests: Vec<String>,
    pub(super) store: Store,
}

impl Server {
    pub(super) fn client(&self) -> Client {
        let server = self.clone();
        client(move |method, uri, body| {
            let result = server.state().answer(method, uri, body);
            match result {
                Ok(object) => (StatusCode::OK, object.to_string()),
                Err(code) => (code, failure(code).to_string()),
            }
        })
    }

    pub(super) fn refuse_next(&self, method: &str, part: &str, code: u16) {
        let code = StatusCode::from_u16(code).expect("an HTTP code");
        let refusal = (method.to_owned(), part.to_owned(), code);
        self.state().refusals.push(refusal);
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A client of an API server that gives these answers to each request's method, address and body.
pub(crate) fn client<A>(answer: A) -> Client
where
    A: Fn(&Method, &Uri, &str) -> (StatusCode, String) + Clone + Send + 'static,
{
    let service = service_fn(move |request: Request<Body>| {
        let answer = answer.clone();
        async move {
            let (asked, body) = request.into_parts();
            let body = body.collect_bytes().await?;
            let body = String::from_utf8_lossy(&body);
            let (code, text) = answer(&asked.method, &asked.uri, &body);
            let mut response = Response::new(text);
            *response.status_mut() = code;
            Ok::<_, kube::Error>(response)
        }
    });
    Client::new(service, "operator")
}

impl State {
    fn answer(&mut self, method: &Method, uri: &Uri, body: &str) -> Result<Value, StatusCode> {
        let (method, path) = (method.as_str(), uri.path());
        self.requests.push(format!("{method} {path}"));
        let mut refusals = self.refusals.iter();
        if let Some(next) = refusals.position(|(of, part, _)| method == of && path.contains(part)) {
            return Err(self.refusals.remove(next).2);
        }
        let body: Value = serde_json::from_str(body).unwrap_or_default();
        let query = uri.query().unwrap_or_default();
        match method {
            "GET" if is_collection(path) => Ok(json!({ "items": self.store.list(path) })),
            "GET" => self.store.get(path),
            "DELETE" => self.store.remove(path),
            "PATCH" => self.store.patch(path, query, &body),
            "POST" => self.store.create(path, body),
            _ => Err(StatusCode::METHOD_NOT_ALLOWED),
        }
    }
}

/// Whether a path ends with a plural, and not with the name of an object.
fn is_collection(path: &str) -> bool {
    let version = if path.starts_with("/api/") { 2 } else { 3 };
    (path.matches('/').count() - version) % 2 == 1
}

fn failure(code: StatusCode) -> Value {
    let reason = match code.as_u16() {
        403 => "Forbidden",
        404 => "NotFound",
        409 => "Conflict",
        422 => "Invalid",
        429 => "TooManyRequests",
        _ => "",
    };
    let message = code.canonical_reason().unwrap_or_default();
    json!(Status::failure(message, reason).with_code(code.as_u16()))
}
