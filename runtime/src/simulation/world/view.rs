//! Access to the world for everyone but the operator: immediate, and without faults.

use std::any::TypeId;
use std::sync::Arc;

use fastrand::Rng;
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue, USER_AGENT};
use hyper::{Method, Request, Response, StatusCode};
use kube::{Client, Resource};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::World;
use crate::simulation::target::{Target, is_write};
use crate::testing::answered;
use crate::testing::api_server::{ApiServer, Body, User};

/// The name of the actors of a test in the history.
const ACTOR: &str = "actor";

impl World {
    /// Returns all objects of a type, in its version.
    ///
    /// ```
    /// # use rop_runtime::simulation::World;
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # fn act(world: &World) {
    /// let maps: Vec<ConfigMap> = world.list();
    /// # }
    /// ```
    ///
    /// # Panics
    /// Panics if an object does not match the type.
    #[must_use]
    pub fn list<K: Resource<DynamicType = ()> + DeserializeOwned>(&self) -> Vec<K> {
        let objects = self.server().objects(&K::group(&()), &K::plural(&()), "");
        objects.iter().map(|object| self.read_as(object)).collect()
    }

    /// Returns the object with this name. Cluster-scoped objects have no namespace.
    ///
    /// ```
    /// # use rop_runtime::simulation::World;
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # fn act(world: &World) {
    /// let greeting: Option<ConfigMap> = world.get(Some("shop"), "greeting");
    /// # }
    /// ```
    ///
    /// # Panics
    /// Panics if the object does not match the type.
    #[must_use]
    pub fn get<K: Resource<DynamicType = ()> + DeserializeOwned>(
        &self,
        namespace: Option<&str>,
        name: &str,
    ) -> Option<K> {
        let (group, plural) = (K::group(&()), K::plural(&()));
        let namespace = namespace.unwrap_or_default();
        let object = self.server().object(&group, &plural, namespace, name)?;
        Some(self.read_as(&object))
    }

    /// Returns whether the operator must not change an object: another client created it, possibly
    /// with the name of a child, or removed its owner reference.
    ///
    /// ```
    /// # use rop_runtime::simulation::World;
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # fn act(world: &World) {
    /// let maps = world.list::<ConfigMap>().into_iter();
    /// let ours = maps.filter(|map| !world.is_strangers(map)).count();
    /// # }
    /// ```
    #[must_use]
    pub fn is_strangers(&self, object: &impl Resource) -> bool {
        let uid = object.meta().uid.as_ref();
        let state = self.state();
        uid.is_some_and(|uid| state.strangers.contains_key(uid) || state.orphans.contains(uid))
    }

    /// The current object.
    pub(in crate::simulation) fn find(&self, target: &Target) -> Option<Arc<Value>> {
        let group = target
            .version
            .split_once('/')
            .map_or("", |(group, _)| group);
        let namespace = target.namespace.as_deref().unwrap_or_default();
        self.server()
            .object(group, &target.plural, namespace, &target.name)
    }

    /// The current object in the version of the target, unless the conversion fails.
    pub(in crate::simulation) fn find_in_version(&self, target: &Target) -> Option<Arc<Value>> {
        let found = self.find(target)?;
        if found["apiVersion"] == *target.version {
            return Some(found);
        }
        let (code, object) = self.ask(&Method::GET, &target.path(), "", None);
        code.is_success().then(|| Arc::new(object))
    }

    fn read_as<K: Resource<DynamicType = ()> + DeserializeOwned>(&self, object: &Value) -> K {
        let version = K::api_version(&());
        let read = if object["apiVersion"] == *version {
            K::deserialize(object).map_err(|error| error.to_string())
        } else {
            let converted = self.in_version(object, &version);
            converted.and_then(|object| K::deserialize(object).map_err(|error| error.to_string()))
        };
        read.unwrap_or_else(|why| panic!("cannot read {object} as one of {version}: {why}"))
    }

    /// Sends a request of another client than the operator. Returns the response if it succeeded.
    pub(in crate::simulation) fn does(
        &self,
        who: &str,
        method: &Method,
        path: &str,
        body: &Value,
    ) -> Option<Value> {
        self.tries(who, method, path, body).ok()
    }

    /// Like [`does`](Self::does), but also returns a failure.
    pub(in crate::simulation) fn tries(
        &self,
        who: &str,
        method: &Method,
        path: &str,
        body: &Value,
    ) -> Result<Value, Value> {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let content = match *method {
            Method::PATCH => "application/merge-patch+json",
            _ => "application/json",
        };
        let target = Target::at(path).unwrap_or_default();
        let before = self.find(&target);
        let (code, object) = self.ask(method, &with(path, query, who), content, Some(body));
        let sent = body.to_string();
        self.record(
            who,
            method,
            &target,
            code,
            before.as_deref(),
            Some(&object),
            Some(query),
            sent.as_bytes(),
        );
        if code.is_success() {
            self.given_by_others();
            Ok(object)
        } else {
            Err(object)
        }
    }

    /// Runs the garbage collector once.
    pub(in crate::simulation) fn collect_garbage(&self) {
        let _ = self.server().collect_garbage();
    }

    /// Returns a value of your own type, which lasts as long as this world and is shared by all
    /// callers. The fresh cluster with which the end of a seed is compared has the same value: a
    /// service outside the cluster does not begin again.
    ///
    /// ```
    /// # use rop_runtime::simulation::World;
    /// # fn act(world: &World) {
    /// use std::sync::Mutex;
    ///
    /// /// The state of an external service, which all processes and actors share.
    /// #[derive(Default)]
    /// struct Cloud {
    ///     disks: Mutex<Vec<String>>,
    /// }
    ///
    /// let cloud = world.shared::<Cloud>();
    /// cloud.disks.lock().unwrap().push("disk".to_owned());
    /// # }
    /// ```
    #[must_use]
    pub fn shared<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut state = self.state();
        let known = state
            .shared
            .entry(TypeId::of::<T>())
            .or_insert_with(|| Arc::<T>::default());
        Arc::clone(known).downcast().unwrap_or_default()
    }

    /// Returns true with this probability, and always false after the faults and in a cluster without faults.
    ///
    /// ```
    /// # use rop_runtime::simulation::World;
    /// # fn act(world: &World) {
    /// if world.fails(0.1) {
    ///     // The service has acted, but reports a failure.
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn fails(&self, chance: f64) -> bool {
        self.has_faults() && self.state().fates.rng.f64() < chance
    }

    /// Returns a client of the API server for actors, without faults and with all permissions. The
    /// history lists its writes as those of `actor`.
    ///
    /// ```
    /// # use rop_runtime::simulation::World;
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # fn act(world: &World) {
    /// let maps = kube::Api::<ConfigMap>::all(world.client());
    /// # }
    /// ```
    #[must_use]
    pub fn client(&self) -> Client {
        let (world, server) = (Arc::downgrade(&self.0), self.server().clone());
        let admin = self.0.admin.clone();
        answered("default", move |request| match world.upgrade() {
            Some(world) => Self(world).acted(request),
            None => server.answer(&admin, request),
        })
    }

    /// Handles a request of an actor, and records its writes.
    fn acted(&self, mut request: Request<Bytes>) -> Response<Body> {
        if !is_write(&request) {
            return self.server().answer(&self.0.admin, request);
        }
        // Its field manager, unless it names one: an unknown one is the operator.
        let agent = request.headers_mut().entry(USER_AGENT);
        agent.or_insert(HeaderValue::from_static(ACTOR));
        let (method, uri) = (request.method().clone(), request.uri().clone());
        let sent = request.body().clone();
        let target = Target::at(uri.path()).unwrap_or_default();
        let before = self.find(&target);
        let answer = self.server().answer(&self.0.admin, request);
        let code = answer.status();
        let object = answer.extensions().get::<Arc<Value>>().cloned();
        if code.is_success() {
            self.given_by_others();
        }
        self.record(
            ACTOR,
            &method,
            &target,
            code,
            before.as_deref(),
            object.as_deref(),
            uri.query(),
            &sent,
        );
        answer
    }

    /// Returns a random number generator for this name, which depends on the seed.
    ///
    /// ```
    /// # use rop_runtime::simulation::World;
    /// # fn act(world: &World) {
    /// let is_heads = world.rng("coin").bool();
    /// # }
    /// ```
    #[must_use]
    pub fn rng(&self, name: &str) -> Rng {
        self.plan().rng(name)
    }

    fn ask(
        &self,
        method: &Method,
        path: &str,
        content: &str,
        body: Option<&Value>,
    ) -> (StatusCode, Value) {
        ask(self.server(), &self.0.admin, method, path, content, body)
    }
}

/// Asks an API server for something.
pub(in crate::simulation) fn ask(
    server: &ApiServer,
    user: &User,
    method: &Method,
    path: &str,
    content: &str,
    body: Option<&Value>,
) -> (StatusCode, Value) {
    let mut request = Request::builder().method(method).uri(path);
    if !content.is_empty() {
        request = request.header(CONTENT_TYPE, content);
    }
    let body = body.filter(|body| !body.is_null()).map(Value::to_string);
    let request = request
        .body(Bytes::from(body.unwrap_or_default()))
        .expect("a request");
    server.ask(user, request)
}

/// A path with its query, and with `who` as the field manager.
fn with(path: &str, query: &str, who: &str) -> String {
    match query {
        "" => format!("{path}?fieldManager={who}"),
        query => format!("{path}?{query}&fieldManager={who}"),
    }
}
