//! A Kubernetes API server in memory.
//!
//! It behaves like Kubernetes 1.37, which a test proves: it sends random sequences of requests to both, and compares
//! all responses. It stores objects with their history, lists them in pages, serves watches, merges applies, tracks
//! field managers, sets defaults, prunes and validates. Its time is tokio's, so a test can pause and advance it, and it
//! is deterministic.
//!
//! Known differences:
//! - Only the most common errors in built-in kinds are found: volumes, probes, quantities of resources and a changed
//!   type of a Service are not validated. A strategic merge patch is applied as a JSON merge patch.
//! - Webhooks are called once [`webhooks`](ApiServer::webhooks) has set a function, but not for `/scale`. Their
//!   `matchConditions` and warnings, and admission policies, have no effect.
//! - A deleted namespace is gone at once, with all its objects.
//! - A deleted CRD is gone at once, with all objects of its kind. Its `status` is empty. Label selectors match the
//!   stored version of an object.
//! - Objects of a custom kind without a conversion webhook can be stored in any of its versions, and the two kinds of
//!   events are separate.
//! - A list has the current revision, even if the request accepts an older one.
//! - Messages that contain a whole object, or several errors of an apply, can have another order.
//! - A write that only changes how an object is stored changes nothing, for example a null that is read as a default.

mod admission;
mod answer;
mod builtin_defaults;
mod client_config;
mod clock;
mod convert;
#[cfg(feature = "webhook")]
pub(crate) mod custom;
mod decoded;
mod delete;
mod delete_options;
mod discovery;
mod failure;
mod fields;
mod formats;
mod garbage;
mod immutable;
mod json_patch;
mod list;
mod managed;
mod metadata;
mod names;
mod notifier;
mod partial;
mod patch;
mod quantity;
mod request;
mod resource;
mod review;
mod rights;
mod scale;
mod schema;
mod selector;
mod service;
mod state;
mod store;
mod strategy;
mod structural;
mod target;
#[cfg(test)]
mod tests;
mod user;
mod valid;
mod valid_builtin;
mod valid_custom;
mod version;
mod watches;
mod write;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::Bytes;
use hyper::{Request, Response, StatusCode, header};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use k8s_openapi::jiff::Timestamp;
use kube::Client;
use serde_json::{Value, json};

use answer::Answer;
pub(crate) use clock::Clock;
pub(crate) use json_patch::{operations, patched};
pub(crate) use resource::builtin_kind;
use state::State;
pub(crate) use target::Target;
pub use user::User;

use super::client::answered;

/// An in-memory API server. Clones share everything.
///
/// ```
/// use k8s_openapi::api::core::v1::Namespace;
/// use kube::Api;
/// use rop_runtime::testing::api_server::ApiServer;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let server = ApiServer::new();
/// let namespaces = Api::<Namespace>::all(server.client());
/// assert!(namespaces.get("default").await.is_ok());
/// # });
/// ```
#[derive(Clone)]
pub struct ApiServer(Arc<Mutex<State>>);

/// The body of a response.
pub type Body = UnsyncBoxBody<Bytes, std::convert::Infallible>;

/// A write request.
/// A write request, as recorded by the server.
/// ```
/// # use rop_runtime::testing::api_server::ApiServer;
/// # async fn test(server: ApiServer) {
/// let writes = server.writes_since(0);
/// let of_the_operator = writes.iter().filter(|write| write.manager == "app-operator");
/// assert!(of_the_operator.clone().all(|write| write.refused.is_none()));
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// The revision of the store after the request.
    pub revision: u64,
    /// Whether the request changed anything.
    pub changed: bool,
    /// The verb of RBAC: `create`, `update`, `patch`, `delete` or `deletecollection`.
    pub verb: String,
    /// The API group of the resource, empty for the core group.
    pub group: String,
    /// The plural of the resource, such as `deployments`.
    pub resource: String,
    /// The subresource, such as `status`. Empty for the object itself.
    pub subresource: String,
    /// The namespace of the object. Empty if it is cluster-scoped.
    pub namespace: String,
    /// The name of the object. Empty if it was only in the body, as with `create`.
    pub name: String,
    /// The name of the user, such as `system:serviceaccount:operator:default`.
    pub user: String,
    /// The field manager of the request.
    pub manager: String,
    /// The status code of the error. `None` if the request succeeded.
    pub refused: Option<u16>,
}

impl Default for ApiServer {
    fn default() -> Self {
        Self::new()
    }
}

impl ApiServer {
    /// Creates a server with the objects of every cluster. Must be called in a tokio runtime.
    ///
    /// ```
    /// # use rop_runtime::testing::api_server::ApiServer;
    /// #[tokio::test]
    /// async fn there_is_a_namespace() {
    ///     let server = ApiServer::new();
    ///     assert!(server.object("", "namespaces", "", "default").is_some());
    /// }
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::with_clock(Clock::start())
    }

    pub(crate) fn with_clock(clock: Clock) -> Self {
        Self(Arc::new(Mutex::new(State::new(clock))))
    }

    /// Serves the kind of a CRD, as if the CRD had been created.
    ///
    /// ```
    /// use kube::CustomResourceExt;
    /// use rop_runtime::testing::api_server::ApiServer;
    ///
    /// fn serve<K: CustomResourceExt>(server: &ApiServer) {
    ///     server.add_crd(&K::crd());
    /// }
    /// ```
    ///
    /// # Panics
    /// Panics if the CRD is invalid.
    pub fn add_crd(&self, crd: &CustomResourceDefinition) {
        let mut crd = json!(crd);
        crd["apiVersion"] = json!("apiextensions.k8s.io/v1");
        crd["kind"] = json!("CustomResourceDefinition");
        let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        let request = Request::post(path).body(Bytes::from(crd.to_string()));
        let (code, answer) = self.ask(&User::admin(), request.expect("a request"));
        assert!(
            code.is_success(),
            "the CRD is invalid: {}",
            answer["message"]
        );
    }

    /// Serves a kind without a schema: its objects are stored unchanged. Has no effect if the kind is already served.
    pub(crate) fn serve_unchecked(&self, target: &Target, kind: &str) {
        self.state().resources.add_unchecked(target, kind);
    }

    /// Creates a namespace, unless it exists.
    pub(crate) fn add_namespace(&self, name: &str) {
        self.state().add_namespace(name);
    }

    /// Sets the function that answers the webhooks of configurations and CRDs. `answer` gets the
    /// path and an `AdmissionReview` or `ConversionReview`, and returns the response, or why the
    /// webhook cannot be reached. It is called during a request, so it must not use the server.
    ///
    /// ```
    /// # use rop_runtime::testing::api_server::ApiServer;
    /// # async fn test(server: ApiServer) {
    /// // From here on, every call of a webhook fails.
    /// server.webhooks(|path, _| Err(format!("nobody serves {path}")));
    /// # }
    /// ```
    pub fn webhooks(
        &self,
        answer: impl Fn(&str, &Value) -> Result<Value, String> + Send + Sync + 'static,
    ) {
        self.state().call = Some(Arc::new(answer));
    }

    /// Returns a client with all permissions.
    ///
    /// ```
    /// # use rop_runtime::testing::api_server::ApiServer;
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # async fn test(server: ApiServer) {
    /// let namespaces = kube::Api::<Namespace>::all(server.client());
    /// # }
    /// ```
    #[must_use]
    pub fn client(&self) -> Client {
        self.client_as(&User::admin())
    }

    /// Returns a client with the permissions of a user, according to the roles on the server.
    ///
    /// ```
    /// # use rop_runtime::testing::api_server::ApiServer;
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # use rop_runtime::testing::api_server::User;
    /// # async fn test(server: ApiServer) {
    /// let operator = User::service_account("operator", "default");
    /// let namespaces = kube::Api::<Namespace>::all(server.client_as(&operator));
    /// assert!(namespaces.get("default").await.is_err(), "no role allows it");
    /// # }
    /// ```
    #[must_use]
    pub fn client_as(&self, user: &User) -> Client {
        let (server, user) = (self.clone(), user.clone());
        answered("default", move |request| server.answer(&user, request))
    }

    /// Handles a request. Changes are visible when this returns; the events of a watch are sent in
    /// the body as they occur. Other responses are also in the extensions, as an `Arc<Value>`.
    ///
    /// ```
    /// # use rop_runtime::testing::api_server::ApiServer;
    /// # use rop_runtime::testing::api_server::User;
    /// # async fn test(server: ApiServer) {
    /// let request = hyper::Request::get("/version").body(Default::default()).unwrap();
    /// assert_eq!(server.answer(&User::admin(), request).status(), 200);
    /// # }
    /// ```
    #[must_use]
    pub fn answer(&self, user: &User, request: Request<Bytes>) -> Response<Body> {
        let answer = self
            .state()
            .answer(user, request)
            .unwrap_or_else(|failure| {
                let code =
                    StatusCode::from_u16(failure.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
                Answer::Object(code, failure.status())
            });
        let (code, mut response) = match answer {
            Answer::Object(code, object) => {
                let body = Full::from(object.to_string());
                let mut response = Response::new(body.boxed_unsync());
                response.extensions_mut().insert(Arc::new(object));
                (code, response)
            }
            Answer::Watch(watch) => {
                let events = watch.stream(self.clone());
                let body = StreamBody::new(events).boxed_unsync();
                (StatusCode::OK, Response::new(body))
            }
        };
        *response.status_mut() = code;
        let json = header::HeaderValue::from_static("application/json");
        response.headers_mut().insert(header::CONTENT_TYPE, json);
        response
    }

    /// Handles a request that is not a watch.
    pub(crate) fn ask(&self, user: &User, request: Request<Bytes>) -> (StatusCode, Value) {
        let mut response = self.answer(user, request);
        let object = response
            .extensions_mut()
            .remove::<Arc<Value>>()
            .expect("an answer at once");
        (response.status(), Arc::unwrap_or_clone(object))
    }

    /// Returns the revision of the last change.
    ///
    /// ```
    /// # use rop_runtime::testing::api_server::ApiServer;
    /// # async fn test(server: ApiServer) {
    /// let before = server.revision();
    /// // …
    /// assert_eq!(server.revision(), before, "something was written");
    /// # }
    /// ```
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.state().store.revision()
    }

    /// Returns the server's time, which objects get.
    ///
    /// ```
    /// # use rop_runtime::testing::api_server::ApiServer;
    /// # async fn test(server: ApiServer) {
    /// tokio::time::pause();
    /// let start = server.now();
    /// tokio::time::advance(std::time::Duration::from_secs(60)).await;
    /// assert!(server.now() > start);
    /// # }
    /// ```
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.state().clock.now()
    }

    /// Compacts the history: older watches and lists fail as expired.
    ///
    /// ```
    /// # use rop_runtime::testing::api_server::ApiServer;
    /// # async fn test(server: ApiServer) {
    /// // Clients that list in pages or resume a watch have to start again.
    /// server.compact();
    /// # }
    /// ```
    pub fn compact(&self) {
        self.state().store.compact();
    }

    /// Ends all watches, like a restart.
    ///
    /// ```
    /// # use rop_runtime::testing::api_server::ApiServer;
    /// # async fn test(server: ApiServer) {
    /// server.end_watches();
    /// # }
    /// ```
    pub fn end_watches(&self) {
        self.state().notifier.end();
    }

    /// Returns the current objects of a resource, of all namespaces if `namespace` is empty.
    ///
    /// ```
    /// # use rop_runtime::testing::api_server::ApiServer;
    /// # async fn test(server: ApiServer) {
    /// assert_eq!(server.objects("apps", "deployments", "shop").len(), 3);
    /// assert_eq!(server.objects("", "nodes", "").len(), 0);
    /// # }
    /// ```
    #[must_use]
    pub fn objects(&self, group: &str, plural: &str, namespace: &str) -> Vec<Arc<Value>> {
        let state = self.state();
        let objects = state.store.list(&storage(group, plural), namespace);
        objects.map(|(_, object)| Arc::clone(object)).collect()
    }

    /// Returns the objects of a resource at an older revision, as in a stale cache.
    ///
    /// ```
    /// # use rop_runtime::testing::api_server::ApiServer;
    /// # async fn test(server: ApiServer) {
    /// let before = server.revision();
    /// // …
    /// let known = server.objects_at("apps", "deployments", "shop", before);
    /// # }
    /// ```
    #[must_use]
    pub fn objects_at(
        &self,
        group: &str,
        plural: &str,
        namespace: &str,
        revision: u64,
    ) -> Vec<Arc<Value>> {
        self.state()
            .stale_list(&storage(group, plural), namespace, revision)
    }

    /// Returns the current object.
    ///
    /// ```
    /// # use rop_runtime::testing::api_server::ApiServer;
    /// # async fn test(server: ApiServer) {
    /// let web = server.object("apps", "deployments", "shop", "web").unwrap();
    /// assert_eq!(web["spec"]["replicas"], 3);
    /// # }
    /// ```
    #[must_use]
    pub fn object(
        &self,
        group: &str,
        plural: &str,
        namespace: &str,
        name: &str,
    ) -> Option<Arc<Value>> {
        let state = self.state();
        state
            .store
            .get(&storage(group, plural), &store::key(namespace, name))
            .cloned()
    }

    /// Returns all current objects.
    ///
    /// ```
    /// # use rop_runtime::testing::api_server::ApiServer;
    /// # async fn test(server: ApiServer) {
    /// let names = server.all_objects();
    /// assert!(names.iter().all(|object| object["metadata"]["name"] != "left-over"));
    /// # }
    /// ```
    #[must_use]
    pub fn all_objects(&self) -> Vec<Arc<Value>> {
        let state = self.state();
        let storages = state.store.storages();
        storages
            .flat_map(|storage| {
                state
                    .store
                    .list(storage, "")
                    .map(|(_, object)| Arc::clone(object))
            })
            .collect()
    }

    /// Converts an object to another version, with `answer` in place of the conversion webhook.
    ///
    /// # Errors
    /// If the conversion fails.
    pub(crate) fn converted(
        &self,
        object: &Value,
        api_version: &str,
        answer: client_config::Call,
    ) -> Result<Value, String> {
        let kind = object["kind"].as_str().unwrap_or_default();
        let state = self.state();
        let resource = state
            .resources
            .of_kind(api_version, kind)
            .ok_or_else(|| format!("the API server does not serve {kind} of {api_version}"))?;
        let converted = version::with(resource, object, Some(&answer));
        converted
            .map(Cow::into_owned)
            .map_err(|failure| failure.message)
    }

    /// Returns the write requests in order, without the first `known` ones.
    ///
    /// ```
    /// # use rop_runtime::testing::api_server::ApiServer;
    /// # async fn test(server: ApiServer) {
    /// let known = server.writes_since(0).len();
    /// // …
    /// assert!(server.writes_since(known).iter().all(|write| !write.changed));
    /// # }
    /// ```
    #[must_use]
    pub fn writes_since(&self, known: usize) -> Vec<Write> {
        self.state()
            .writes
            .get(known..)
            .unwrap_or_default()
            .to_vec()
    }

    /// Runs the garbage collector once. Returns whether it changed anything.
    ///
    /// ```
    /// # use rop_runtime::testing::api_server::ApiServer;
    /// # async fn test(server: ApiServer) {
    /// while server.collect_garbage() {}
    /// # }
    /// ```
    #[must_use]
    pub fn collect_garbage(&self) -> bool {
        self.state().collect_garbage()
    }

    /// The permissions that requests of users other than admins needed: group, resource and verb.
    pub(crate) fn used_permissions(&self) -> BTreeSet<(String, String, String)> {
        self.state().used.borrow().clone()
    }

    /// Gives the uids of these objects to no new ones: they are restored later.
    pub(crate) fn reserve_uids(&self, objects: &[Value]) {
        self.state().reserve_uids(objects);
    }

    /// Stores objects as they are, with their uids.
    pub(crate) fn restore(&self, objects: &[Value]) {
        self.state().restore(objects);
    }

    /// Whether an object has owners, and all of them are gone.
    pub(crate) fn is_owner_gone(&self, object: &Value) -> bool {
        self.state().is_owner_gone(object)
    }

    /// Sets the creation time of the next object that is created.
    pub(crate) fn create_as_of(&self, created: Option<&str>) {
        self.state().created = created.map(str::to_owned);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn storage(group: &str, plural: &str) -> String {
    match group {
        "" => plural.to_owned(),
        group => format!("{plural}.{group}"),
    }
}
