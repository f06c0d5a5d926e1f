//! Test support: an in-memory API server, and a real one.
//!
//! [`FakeApi`] runs a registered controller with its finalizer, its caches and its failure handler.
//! It records requests and events, and can reject requests. Its server is an [`ApiServer`], which
//! behaves like a real one, except that namespaces need not exist. Your own kinds are validated and
//! defaulted once they are [installed](FakeApi::install), and otherwise stored unchanged.
//!
//! `Cluster` runs the operator like its Deployment, with etcd and kube-apiserver. Both use
//! [samples](sample()); [`check`] needs neither. `DeployedOperator` deploys the operator's image in a
//! disposable cluster. It and `Cluster` are not available on Windows.

pub mod api_server;
mod client;
#[cfg(unix)]
mod cluster;
mod crds;
#[cfg(unix)]
mod deployed;
#[cfg(unix)]
mod deployed_operator;
#[cfg(feature = "webhook")]
mod round_trip;
mod rules;
mod sample;
mod server;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kube::api::{ApiResource, DynamicObject, ListParams};
use kube::{Client, CustomResourceExt, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;
#[cfg(feature = "webhook")]
use serde_json::Value;
use serde_json::json;
use tokio::sync::mpsc::Receiver;

use crate::events::Message;
use crate::informer::Feed;
use crate::manager::Controller;
use crate::named::{is, only};
use crate::simulation::time;
#[cfg(feature = "webhook")]
use crate::webhook::{Operation, Request};
use crate::{Action, Context, Error, Identity, Manager, Options};
use api_server::{ApiServer, Clock};
pub(crate) use client::answered;
#[cfg(test)]
pub(crate) use client::client;
#[cfg(unix)]
pub use cluster::{Cluster, ClusterBuilder, becomes, create, create_invalid, edit, eventually};
pub use crds::{assert_crds_match, assert_structural, check};
#[cfg(unix)]
pub use deployed_operator::DeployedOperator;
#[cfg(feature = "webhook")]
pub use round_trip::RoundTrip;
pub use sample::{from_yaml, sample, unnamed};
use server::Server;

/// An in-memory API server with the controllers of an operator.
///
/// ```
/// use std::sync::Arc;
/// use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
/// use rop_runtime::testing::FakeApi;
/// use rop_runtime::{Action, Context, Error, Identity, Manager, Watch};
///
/// /// Every namespace gets a `ConfigMap` called `greeting`.
/// async fn reconcile(namespace: Arc<Namespace>, context: Context) -> Result<Action, Error> {
///     let mut greeting = ConfigMap::default();
///     greeting.metadata.name = Some("greeting".to_owned());
///     greeting.metadata.namespace.clone_from(&namespace.metadata.name);
///     context.apply(&*namespace, greeting).await?;
///     Ok(Action::await_change())
/// }
///
/// fn register(manager: &mut Manager<()>) {
///     // In all namespaces, not only in that of the operator.
///     let greetings = Watch::<ConfigMap>::new().everywhere();
///     manager.controller(reconcile).owns_with(greetings).start();
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let api = FakeApi::new(Identity::new("greeter", "1.0.0"), (), register);
/// let mut shop = Namespace::default();
/// shop.metadata.name = Some("shop".to_owned());
/// api.put(&shop);
/// api.reconcile("shop").await.unwrap();
/// assert!(api.get::<ConfigMap>("greeting").is_some());
/// assert_eq!(api.events(), ["Normal Created created the ConfigMap shop/greeting"]);
/// # });
/// ```
pub struct FakeApi<S> {
    server: Server,
    controllers: Vec<Arc<dyn Controller>>,
    feeds: Mutex<Vec<Feed>>,
    outbox: Mutex<Receiver<Message>>,
    context: Context<S>,
    #[cfg(feature = "webhook")]
    webhooks: Arc<crate::webhook::Handlers>,
    _time: time::Beginning,
}

impl<S: Send + Sync + 'static> FakeApi<S> {
    /// Creates an empty API server with the controllers that `register` adds to a manager. The
    /// namespace of the operator is `operator`. Its time is that of tokio's clock, which a test can
    /// pause and advance, and [`now`](crate::now) returns it in the thread of the test.
    ///
    /// ```
    /// use rop_runtime::testing::FakeApi;
    /// use rop_runtime::{Identity, Manager};
    ///
    /// fn register(manager: &mut Manager<u16>) { /* … */ }
    ///
    /// fn api() -> FakeApi<u16> {
    ///     FakeApi::new(Identity::new("app-operator", "1.0.0"), 8080, register)
    /// }
    /// ```
    ///
    /// # Panics
    /// Panics if the registration is invalid, for example with two controllers of the same name, or
    /// outside a tokio runtime.
    pub fn new(identity: Identity, state: S, register: impl FnOnce(&mut Manager<S>)) -> Self {
        let clock = Clock::start_at(crate::now());
        let (server, time) = (Server::new(clock), time::begin(clock));
        let options = Options::default();
        let mut manager =
            Manager::with_client(identity, options, state, server.client()).expect("no election");
        register(&mut manager);
        let parts = manager.into_parts();
        #[cfg(feature = "webhook")]
        {
            let webhooks = Arc::clone(&parts.webhooks);
            server.api.webhooks(move |path, review| {
                webhooks.review(path, review).map_err(|why| why.to_string())
            });
        }
        let api = Self {
            server,
            controllers: parts.controllers,
            feeds: Mutex::new(parts.feeds),
            outbox: Mutex::new(parts.outbox),
            context: parts.context,
            #[cfg(feature = "webhook")]
            webhooks: parts.webhooks,
            _time: time,
        };
        // The first lists of the empty server.
        api.watch();
        api
    }

    /// Reconciles the object with this name by the only registered controller. If several
    /// namespaces have such an object, use `namespace/name`.
    ///
    /// ```
    /// # use rop_runtime::testing::FakeApi;
    /// # async fn test(api: FakeApi<()>) {
    /// let action = api.reconcile("shop").await.unwrap();
    /// assert_eq!(action, rop_runtime::Action::await_change());
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the error of the reconcile or cleanup.
    ///
    /// # Panics
    /// Panics if there is no such object, if several namespaces have one, or if there are several
    /// controllers.
    pub async fn reconcile(&self, name: &str) -> Result<Action, Error> {
        let [controller] = &*self.controllers else {
            panic!("several controllers are registered: use `reconcile_by`");
        };
        self.step(controller, name).await
    }

    /// Like [`reconcile`](Self::reconcile), by the controller with this name.
    ///
    /// ```
    /// # use rop_runtime::testing::FakeApi;
    /// # async fn test(api: FakeApi<()>) {
    /// api.reconcile_by("quota", "shop").await.unwrap();
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the error of the reconcile or cleanup.
    ///
    /// # Panics
    /// Panics if there is no such object, if several namespaces have one, or if there is no such
    /// controller.
    pub async fn reconcile_by(&self, controller: &str, name: &str) -> Result<Action, Error> {
        let mut controllers = self.controllers.iter();
        let found = controllers
            .find(|known| known.name() == controller)
            .unwrap_or_else(|| panic!("there is no controller {controller}"));
        self.step(found, name).await
    }

    async fn step(&self, controller: &Arc<dyn Controller>, name: &str) -> Result<Action, Error> {
        self.watch();
        let mut step = controller.step(name).await;
        // The watch delivers an object that has just got its finalizer, and it is reconciled again.
        if self.server.take_new_finalizer() {
            self.watch();
            step = controller.step(name).await;
        }
        step.unwrap_or_else(|| panic!("there is no object {name}"))
    }

    /// Updates the caches, as a watch would.
    fn watch(&self) {
        for feed in &mut *lock(&self.feeds) {
            let objects = self.server.list(&feed.collection, &feed.params);
            feed.take(objects);
        }
    }

    /// Installs the CRD of a kind: with defaulting, pruning, schema validation and validation
    /// rules.
    ///
    /// ```
    /// use kube::CustomResourceExt;
    /// use rop_runtime::testing::FakeApi;
    ///
    /// /// Enables the validation of the kind's schema.
    /// fn validate<K: CustomResourceExt>(api: &FakeApi<()>) {
    ///     api.install::<K>();
    /// }
    /// ```
    ///
    /// # Panics
    /// Panics if the API server rejects the CRD.
    pub fn install<K: CustomResourceExt>(&self) {
        self.server.api.add_crd(&K::crd());
    }

    /// Calls the webhooks of the operator from now on, according to webhook configurations in YAML,
    /// such as `config/webhook/manifests.yaml`. Their rejections also apply to the operator.
    ///
    /// ```no_run
    /// # use rop_runtime::testing::FakeApi;
    /// # async fn test(api: FakeApi<()>) {
    /// let manifests = std::fs::read_to_string("config/webhook/manifests.yaml").unwrap();
    /// api.install_webhooks(&manifests);
    /// # }
    /// ```
    ///
    /// # Panics
    /// Panics if the text is not YAML, or if the API server rejects a configuration.
    #[cfg(feature = "webhook")]
    pub fn install_webhooks(&self, manifests: &str) {
        let group = "/apis/admissionregistration.k8s.io/v1";
        let objects: Result<Vec<Value>, _> = serde_saphyr::from_multiple(manifests);
        for object in objects.expect("configurations in YAML") {
            let kind = object["kind"].as_str().unwrap_or_default().to_lowercase();
            let name = object["metadata"]["name"].as_str().unwrap_or_default();
            self.server
                .put(&format!("{group}/{kind}s"), name, object.clone());
        }
    }

    /// Returns the response of the webhook at a path to a review: an `AdmissionReview`, or a
    /// `ConversionReview` at `/convert`.
    ///
    /// ```no_run
    /// # use rop_runtime::testing::FakeApi;
    /// # async fn test(api: FakeApi<()>) {
    /// let review = serde_json::json!({
    ///     "apiVersion": "apiextensions.k8s.io/v1",
    ///     "kind": "ConversionReview",
    ///     "request": { "uid": "1", "desiredAPIVersion": "example.com/v2", "objects": [] },
    /// });
    /// let answer = api.review("/convert", &review).unwrap();
    /// assert_eq!(answer["response"]["result"]["status"], "Success");
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if no webhook has this path, or if the request is not a review.
    #[cfg(feature = "webhook")]
    pub fn review(&self, path: &str, review: &Value) -> Result<Value, String> {
        let answer = self.webhooks.review(path, review);
        answer.map_err(|why| why.to_string())
    }

    /// Creates or replaces an object, including its status. An object with a different uid replaces
    /// the existing one, as after a deletion. The age of a new object follows its
    /// `creationTimestamp`.
    ///
    /// ```
    /// # use rop_runtime::testing::FakeApi;
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # async fn test(api: FakeApi<()>) {
    /// let mut shop = Namespace::default();
    /// shop.metadata.name = Some("shop".to_owned());
    /// api.put(&shop);
    /// # }
    /// ```
    ///
    /// # Panics
    /// Panics if the object has no name, or if the API server rejects it.
    pub fn put<K: Resource<DynamicType = ()> + Serialize>(&self, object: &K) {
        self.put_at(&(), object);
    }

    /// Like [`put`](Self::put), for a kind that is only known at run time.
    ///
    /// ```
    /// # use rop_runtime::testing::FakeApi;
    /// # async fn test(api: FakeApi<()>) {
    /// use kube::api::{ApiResource, DynamicObject, GroupVersionKind};
    ///
    /// let carts = ApiResource::from_gvk(&GroupVersionKind::gvk("shop.example.com", "v1", "Cart"));
    /// api.put_dynamic(&carts, &DynamicObject::new("web", &carts).within("shop"));
    /// api.reconcile("web").await.unwrap();
    /// let web = api.get_dynamic(&carts, "web").unwrap();
    /// assert_eq!(web.data["status"]["observedGeneration"], 1);
    /// # }
    /// ```
    ///
    /// # Panics
    /// Panics if the object has no name, or if the API server rejects it.
    pub fn put_dynamic(&self, resource: &ApiResource, object: &DynamicObject) {
        self.put_at(resource, object);
    }

    fn put_at<K: Resource + Serialize>(&self, resource: &K::DynamicType, object: &K) {
        let meta = object.meta();
        let name = meta.name.as_deref().expect("a name");
        let collection = K::url_path(resource, meta.namespace.as_deref());
        self.server.put(&collection, name, json!(object));
    }

    /// Returns the current object with this name: `name`, or `namespace/name` if several namespaces
    /// have one.
    ///
    /// ```
    /// # use rop_runtime::testing::FakeApi;
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # async fn test(api: FakeApi<()>) {
    /// let greeting: ConfigMap = api.get("greeting").unwrap();
    /// assert_eq!(greeting.metadata.namespace.as_deref(), Some("shop"));
    /// assert!(api.get::<ConfigMap>("cart/greeting").is_none());
    /// # }
    /// ```
    ///
    /// # Panics
    /// Panics if the object does not match its type, or if several namespaces have one.
    #[must_use]
    pub fn get<K: Resource<DynamicType = ()> + DeserializeOwned>(&self, name: &str) -> Option<K> {
        self.get_at(&(), name)
    }

    /// Like [`get`](Self::get), for a kind that is only known at run time.
    ///
    /// # Panics
    /// Panics if several namespaces have such an object.
    #[must_use]
    pub fn get_dynamic(&self, resource: &ApiResource, name: &str) -> Option<DynamicObject> {
        self.get_at(resource, name)
    }

    fn get_at<K: Resource + DeserializeOwned>(
        &self,
        resource: &K::DynamicType,
        name: &str,
    ) -> Option<K> {
        let collection = K::url_path(resource, None);
        let objects = self
            .server
            .list(&collection, &ListParams::default())
            .into_iter()
            .filter(|object| {
                let meta = &object["metadata"];
                let [own, namespace] = ["name", "namespace"].map(|field| meta[field].as_str());
                is(name, own, namespace)
            });
        let object = only(name, objects)?;
        Some(serde_json::from_value(object).expect("an object of the kind"))
    }

    /// Deletes an object like kubectl: one with finalizers remains with a deletion timestamp.
    ///
    /// ```
    /// # use rop_runtime::testing::FakeApi;
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # async fn test(api: FakeApi<()>) {
    /// api.delete::<Namespace>("shop");
    /// api.reconcile("shop").await.unwrap();
    /// assert!(api.get::<Namespace>("shop").is_none(), "the cleanup is not done");
    /// # }
    /// ```
    ///
    /// # Panics
    /// Panics if there is no such object, or if several namespaces have one.
    pub fn delete<K: Resource<DynamicType = ()> + DeserializeOwned>(&self, name: &str) {
        let object = self.get::<K>(name).expect("an object to delete");
        let meta = object.meta();
        let collection = K::url_path(&(), meta.namespace.as_deref());
        let own = meta.name.as_deref().unwrap_or_default();
        let is_deleted = self.server.delete(&format!("{collection}/{own}"));
        assert!(is_deleted, "the API server did not delete {name}");
    }

    /// Runs the garbage collector of Kubernetes: deletes children without an owner, and removes the
    /// finalizer `foregroundDeletion` of objects without children, such as children that a cleanup
    /// removes.
    ///
    /// ```
    /// # use rop_runtime::testing::FakeApi;
    /// # use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
    /// # async fn test(api: FakeApi<()>) {
    /// api.delete::<Namespace>("shop");
    /// api.collect_garbage();
    /// assert!(api.get::<ConfigMap>("greeting").is_none(), "it has no owner reference");
    /// # }
    /// ```
    pub fn collect_garbage(&self) {
        while self.server.api.collect_garbage() {}
    }

    /// Rejects the next request with this method and a path that contains `part`, with a status
    /// code such as 409.
    ///
    /// ```
    /// # use rop_runtime::testing::FakeApi;
    /// # async fn test(api: FakeApi<()>) {
    /// api.refuse_next("PATCH", "/configmaps/", 409);
    /// assert!(api.reconcile("shop").await.unwrap_err().is_transient());
    /// # }
    /// ```
    ///
    /// # Panics
    /// Panics if the status code is invalid.
    pub fn refuse_next(&self, method: &str, part: &str, code: u16) {
        self.server.refuse_next(method, part, code);
    }

    /// Returns the write requests since the last call, such as `PATCH /apis/…`.
    ///
    /// ```
    /// # use rop_runtime::testing::FakeApi;
    /// # async fn test(api: FakeApi<()>) {
    /// api.reconcile("shop").await.unwrap();
    /// api.writes();
    /// api.reconcile("shop").await.unwrap();
    /// assert!(api.writes().is_empty(), "the second reconcile writes again");
    /// # }
    /// ```
    #[must_use]
    pub fn writes(&self) -> Vec<String> {
        let mut requests = self.server.take_requests();
        requests.retain(|request| !request.starts_with("GET "));
        requests
    }

    /// Returns the events since the last call, with type, reason and note like `kubectl describe`.
    ///
    /// ```
    /// # use rop_runtime::testing::FakeApi;
    /// # async fn test(api: FakeApi<()>) {
    /// api.reconcile("shop").await.unwrap();
    /// assert_eq!(api.events(), ["Normal Created created the ConfigMap shop/greeting"]);
    /// # }
    /// ```
    #[must_use]
    pub fn events(&self) -> Vec<String> {
        let mut outbox = lock(&self.outbox);
        let events = std::iter::from_fn(|| outbox.try_recv().ok());
        let text = |(event, _): Message| {
            let note = event.note.unwrap_or_default();
            format!("{:?} {} {note}", event.type_, event.reason)
        };
        events.map(text).collect()
    }

    /// Returns a client of the API server.
    ///
    /// ```
    /// # use rop_runtime::testing::FakeApi;
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # async fn test(api: FakeApi<()>) {
    /// let maps = kube::Api::<ConfigMap>::all(api.client());
    /// assert_eq!(maps.list(&Default::default()).await.unwrap().items.len(), 1);
    /// # }
    /// ```
    #[must_use]
    pub fn client(&self) -> Client {
        self.server.client()
    }

    /// Returns the API server, for example to set permissions of users or to end watches.
    ///
    /// ```
    /// # use rop_runtime::testing::FakeApi;
    /// # async fn test(api: FakeApi<()>) {
    /// api.server().end_watches();
    /// # }
    /// ```
    #[must_use]
    pub fn server(&self) -> &ApiServer {
        &self.server.api
    }

    /// Returns a webhook request for tests of functions that read the cluster: it has the caches
    /// and a client of this API server.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # use rop_runtime::testing::FakeApi;
    /// # async fn test(api: FakeApi<()>) {
    /// use rop_runtime::webhook::Operation;
    ///
    /// let request = api.request(Operation::Create).by("alice");
    /// let namespaces = request.cached::<Namespace>().await.unwrap();
    /// # }
    /// ```
    #[cfg(feature = "webhook")]
    #[must_use]
    pub fn request(&self, operation: Operation) -> Request<S> {
        self.watch();
        let state = Arc::clone(&self.context.state);
        Request::seeing(operation, state, self.webhooks.view.clone())
    }

    /// Returns a context without a controller, for tests of tasks and of functions with a context.
    /// Its caches have the current objects.
    ///
    /// ```
    /// # use rop_runtime::testing::FakeApi;
    /// # async fn test(api: FakeApi<()>) {
    /// async fn task(context: rop_runtime::Context) { /* … */ }
    ///
    /// task(api.context()).await;
    /// # }
    /// ```
    #[must_use]
    pub fn context(&self) -> Context<S> {
        self.watch();
        self.context.clone()
    }
}

/// A context of an operator with this client.
#[cfg(test)]
pub(crate) fn context(client: Client) -> Context {
    let identity = Identity::new("app-operator", "1.0.0");
    let manager = Manager::with_client(identity, Options::default(), (), client);
    manager.expect("no election").context()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;
    use crate::Cleanup;

    #[tokio::test]
    async fn of_two_objects_the_one_in_the_named_namespace_is_meant() {
        let api = FakeApi::new(Identity::new("greeter", "1.0.0"), (), |manager| {
            let reconcile = async |map: Arc<ConfigMap>, _: Context| {
                let seconds = map.metadata.namespace.as_deref().map_or(0, str::len);
                Ok(Action::requeue(Duration::from_secs(seconds as u64)))
            };
            manager.controller(reconcile).start();
        });
        let mut object = ConfigMap::default();
        object.metadata.name = Some("one".to_owned());
        for namespace in ["shop", "market"] {
            object.metadata.namespace = Some(namespace.to_owned());
            api.put(&object);
        }
        let action = api.reconcile("market/one").await.unwrap();
        assert_eq!(action, Action::requeue(Duration::from_secs(6)));
        api.delete::<ConfigMap>("market/one");
        assert!(api.get::<ConfigMap>("market/one").is_none());
        assert_eq!(api.get::<ConfigMap>("one"), api.get("shop/one"));
        api.put(&object);
        let ambiguous = || api.get::<ConfigMap>("one");
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(ambiguous)).unwrap_err();
        let expected =
            "several namespaces have an object named one: add the namespace, as in `shop/one`";
        assert_eq!(panic.downcast_ref::<String>().unwrap(), expected);
    }

    #[tokio::test]
    async fn an_object_with_a_finalizer_goes_when_its_cleanup_is_done() {
        let api = FakeApi::new(Identity::new("greeter", "1.0.0"), (), |manager| {
            manager
                .controller(async |_: Arc<ConfigMap>, _: Context| Ok(Action::await_change()))
                .finalizer_named("example.com/cleanup", async |_, _| Ok(Cleanup::Done))
                .start();
        });
        let mut object = ConfigMap::default();
        object.metadata.name = Some("one".to_owned());
        object.metadata.namespace = Some("shop".to_owned());
        api.put(&object);
        api.reconcile("one").await.unwrap();
        let known: ConfigMap = api.get("one").expect("the object");
        let expected = vec!["example.com/cleanup".to_owned()];
        assert_eq!(known.metadata.finalizers, Some(expected));
        api.delete::<ConfigMap>("one");
        api.reconcile("one").await.unwrap();
        assert_eq!(api.get::<ConfigMap>("one"), None);
    }

    #[cfg(feature = "webhook")]
    #[tokio::test]
    async fn webhooks_are_asked_as_configurations_say() {
        use kube::api::PostParams;

        use crate::webhook::{Request, Review, Validator};

        let manifests = [
            "Mutating CREATE,UPDATE /mutate",
            "Validating UPDATE /validate",
        ].map(|words| {
            let words: Vec<_> = words.split(' ').collect();
            let [kind, operations, path] = *words else {
                unreachable!("three words");
            };
            format!(
                "apiVersion: admissionregistration.k8s.io/v1\n\
                 kind: {kind}WebhookConfiguration\n\
                 metadata: {{ name: example }}\n\
                 webhooks:\n\
                 - name: {}.example.com\n  \
                   clientConfig: {{ service: {{ name: webhook, namespace: system, path: {path} }} }}\n  \
                   admissionReviewVersions: [v1]\n  \
                   sideEffects: None\n  \
                   rules: [{{ apiGroups: [''], apiVersions: [v1], resources: [configmaps], operations: [{operations}] }}]\n",
                &path[1..],
            )
        });
        let default = |map: &mut ConfigMap, _: &Request| {
            map.immutable.get_or_insert(false);
        };
        let update = |map: &ConfigMap, before: &ConfigMap, request: &Request| {
            let mut review = Review::new();
            if map.data != before.data {
                let why = format!("{} may not change it", request.user());
                review.forbidden("data", &why);
            }
            review
        };
        let api = FakeApi::new(Identity::new("greeter", "1.0.0"), (), |manager| {
            manager.defaulting_webhook("/mutate", default);
            manager.validating_webhook("/validate", Validator::new().update(update));
        });
        let mut map = ConfigMap::default();
        map.metadata.name = Some("one".to_owned());
        map.metadata.namespace = Some("shop".to_owned());
        api.put(&map);
        assert_eq!(api.get::<ConfigMap>("one").unwrap().immutable, None);
        api.install_webhooks(&manifests.join("---\n"));
        map.metadata.labels = Some([("app".to_owned(), "web".to_owned())].into());
        api.put(&map);
        assert_eq!(api.get::<ConfigMap>("one").unwrap().immutable, Some(false));

        let maps = kube::Api::<ConfigMap>::namespaced(api.client(), "shop");
        map.data = Some([("greeting".to_owned(), "hello".to_owned())].into());
        let refused = maps.replace("one", &PostParams::default(), &map).await;
        let Err(kube::Error::Api(status)) = refused else {
            panic!("not refused: {refused:?}");
        };
        assert_eq!(status.code, 422);
        let expected = "admission webhook \"validate.example.com\" denied the request: ConfigMap \"one\" is \
            invalid: data: Forbidden: kubernetes-admin may not change it";
        assert_eq!(status.message, expected);
    }

    #[tokio::test]
    async fn an_object_with_another_uid_takes_the_place_of_the_one_there() {
        let api = FakeApi::new(Identity::new("greeter", "1.0.0"), (), |_| {});
        let mut object = ConfigMap::default();
        object.metadata.name = Some("one".to_owned());
        object.metadata.namespace = Some("shop".to_owned());
        object.metadata.finalizers = Some(vec!["example.com/cleanup".to_owned()]);
        api.put(&object);
        let first: ConfigMap = api.get("one").expect("the object");
        api.put(&first);
        assert_eq!(api.get("one"), Some(first.clone()), "the same one");
        object.metadata.uid = Some("another".to_owned());
        api.put(&object);
        let second: ConfigMap = api.get("one").expect("the object");
        assert_ne!(first.metadata.uid, second.metadata.uid);
    }

    /// Tests can depend on the age of an object, or on a duration.
    #[tokio::test(start_paused = true)]
    async fn time_is_that_of_the_server() {
        use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
        use k8s_openapi::jiff::SignedDuration;

        let api = FakeApi::new(Identity::new("app", "1.0.0"), (), |_| ());
        let before = crate::now();
        tokio::time::advance(std::time::Duration::from_secs(3600)).await;
        let hour = SignedDuration::from_hours(1);
        assert_eq!(crate::now().duration_since(before), hour);
        let mut map = ConfigMap::default();
        map.metadata.name = Some("one".to_owned());
        map.metadata.namespace = Some("shop".to_owned());
        api.put(&map);
        let created = |name: &str| {
            let map: ConfigMap = api.get(name).unwrap();
            map.metadata.creation_timestamp.unwrap().0
        };
        assert_eq!(created("one").as_second(), crate::now().as_second());
        map.metadata.name = Some("old".to_owned());
        map.metadata.creation_timestamp = Some(Time(before));
        api.put(&map);
        assert_eq!(created("old").as_second(), before.as_second());
        drop(api);
        assert!(crate::now() < before + hour);
    }
}
