//! An API server for the tests of reconcilers: in memory, without a cluster.
//!
//! It keeps what is written, remembers each request, and refuses those that a test tells it to. It is
//! simpler than a real one: it checks nothing, fills in no defaults, and knows no selectors and no
//! watches. An apply merges: a list is one value, and what the manager no longer names stays.

mod store;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyper::{Method, Request, Response, StatusCode, Uri};
use kube::client::Body;
use kube::core::Status;
use kube::runtime::watcher::Event;
use kube::{Client, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tower::service_fn;

use super::children::Watched;
use super::{Child, Context};
use store::Store;

/// The API server. A clone of it is the same one.
#[derive(Clone, Default)]
pub struct FakeApi(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    refusals: Vec<(String, String, StatusCode)>,
    requests: Vec<String>,
    store: Store,
}

impl FakeApi {
    /// What reconciles get that talk to this API server. The operator's namespace is `operator`.
    #[must_use]
    pub fn context(&self) -> Arc<Context> {
        // Nobody looks at the events.
        let (context, _) = Context::new(self.client());
        Arc::new(context)
    }

    /// A client of it.
    #[must_use]
    pub fn client(&self) -> Client {
        let api = self.clone();
        client(move |method, uri, body| {
            let result = api.lock().answer(method, uri, body);
            match result {
                Ok(object) => (StatusCode::OK, object.to_string()),
                Err(code) => (code, failure(code).to_string()),
            }
        })
    }

    /// Stores an object, which has a name, as if somebody had created or changed it.
    pub fn put<K: Resource<DynamicType = ()> + Serialize>(&self, object: &K) {
        let meta = object.meta();
        let name = meta.name.as_deref().expect("a name");
        let collection = K::url_path(&(), meta.namespace.as_deref());
        let path = format!("{collection}/{name}");
        self.lock().store.put(&path, json!(object));
    }

    /// The object of that name as it is now, in whichever namespace.
    #[must_use]
    pub fn get<K: Resource<DynamicType = ()> + DeserializeOwned>(&self, name: &str) -> Option<K> {
        let state = self.lock();
        let mut objects = state.store.list(&K::url_path(&(), None)).into_iter();
        let object = objects.find(|object| object["metadata"]["name"] == name)?;
        Some(K::deserialize(object).expect("an object of the kind"))
    }

    /// Refuses the next request of that method whose path has `part` in it, with a code such as 409.
    pub fn refuse_next(&self, method: &str, part: &str, code: u16) {
        let code = StatusCode::from_u16(code).expect("an HTTP code");
        let refusal = (method.to_owned(), part.to_owned(), code);
        self.lock().refusals.push(refusal);
    }

    /// What was asked for since this was called last, but for what only read: `PATCH /apis/…`.
    #[must_use]
    pub fn writes(&self) -> Vec<String> {
        let mut requests = std::mem::take(&mut self.lock().requests);
        requests.retain(|request| !request.starts_with("GET "));
        requests
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A client of an API server that gives these answers to each request's method, address and body.
pub fn client<A>(answer: A) -> Client
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

impl Context {
    /// As where a watch has seen that there are no children of this type yet: what is applied from
    /// now on is known, and not applied again.
    pub fn watched<C: Child>(&self) {
        let watched = Watched::new::<C>(None);
        self.children
            .seen(&watched, &mut HashSet::new(), &Event::InitDone);
    }
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
