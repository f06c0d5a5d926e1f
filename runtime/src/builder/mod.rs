//! A controller, before it is started: what it watches, and how it reconciles.

mod children;
mod objects;
mod start;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use kube::api::{ApiResource, DynamicObject};
use kube::core::object::HasStatus;
use kube::discovery::Scope;
use kube::runtime::Predicate;
use serde::Serialize;

use crate::backoff::Backoff;
use crate::controller::{OnFailure, Reconcile, Settings};
use crate::kinds::{ChildKind, Reconciled, Watched};
use crate::manager::Manager;
use crate::watch::Watch;
use crate::{Action, Cleanup, Context, Error, finalizer};
use start::Wiring;

/// A controller, before it is started. [`Manager::controller`] makes one.
///
/// ```no_run
/// # use std::sync::Arc;
/// # use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
/// # use rop_runtime::{Action, Context, Error, Manager};
/// # async fn reconcile(_: Arc<Namespace>, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
/// # fn register(manager: &mut Manager<()>) {
/// manager
///     .controller(reconcile)
///     .owns::<ConfigMap>()
///     .reads::<Secret>()
///     .concurrency(4)
///     .start();
/// # }
/// ```
#[must_use = "a controller does nothing before it is started"]
pub struct ControllerBuilder<'m, S, K> {
    manager: &'m mut Manager<S>,
    kind: ChildKind,
    name: Option<String>,
    reconcile: Reconcile<S, K>,
    on_failure: Option<OnFailure<S, K>>,
    cleanup: Option<(Option<String>, CleanupFn<S, K>)>,
    settings: Settings,
    objects: Watch<K>,
    watches: Vec<Addition<S, K>>,
    dynamic: Vec<ChildKind>,
    blocks_owner: bool,
}

/// Adds a watch to a controller that is being started.
type Addition<S, K> = Box<dyn FnOnce(&mut Wiring<'_, S, K>)>;

/// Makes of a reconcile one that adds a finalizer of this name before it, and cleans up.
type CleanupFn<S, K> = Box<dyn FnOnce(Reconcile<S, K>, String) -> Reconcile<S, K>>;

impl<S: Send + Sync + 'static> Manager<S> {
    /// A controller of a kind, which [`ControllerBuilder::start`] starts. `reconcile` is called for each
    /// object when the operator starts and whenever something happens to the object or to its children:
    /// never twice at once for one object. An object that is being deleted is left alone, unless there is a
    /// [finalizer](ControllerBuilder::finalizer).
    ///
    /// ```no_run
    /// use std::sync::Arc;
    /// use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
    /// use rop_runtime::{Action, Context, Error, Manager};
    ///
    /// /// What belongs to the controller: clients, settings.
    /// struct State;
    ///
    /// async fn reconcile(namespace: Arc<Namespace>, context: Context<State>) -> Result<Action, Error> {
    ///     Ok(Action::await_change())
    /// }
    ///
    /// fn register(manager: &mut Manager<State>) {
    ///     manager.controller(reconcile).owns::<ConfigMap>().start();
    /// }
    /// ```
    pub fn controller<K, R, F>(&mut self, reconcile: R) -> ControllerBuilder<'_, S, K>
    where
        K: Watched,
        R: Fn(Arc<K>, Context<S>) -> F + Send + Sync + 'static,
        F: Future<Output = Result<Action, Error>> + Send + 'static,
    {
        ControllerBuilder::new(self, ChildKind::of::<K>(), reconcile)
    }

    /// As [`controller`](Self::controller), of a kind that is known only at run time. Resource and scope are what
    /// kube's [discovery](kube::discovery) gives. Such an object says itself, in its `types`, of which kind it is.
    ///
    /// ```no_run
    /// use std::sync::Arc;
    /// use kube::api::{ApiResource, DynamicObject, GroupVersionKind};
    /// use kube::discovery::Scope;
    /// use rop_runtime::{Action, Context, Error, Manager};
    ///
    /// async fn reconcile(object: Arc<DynamicObject>, context: Context) -> Result<Action, Error> {
    ///     let replicas = object.data["spec"]["replicas"].as_i64();
    ///     Ok(Action::await_change())
    /// }
    ///
    /// fn register(manager: &mut Manager<()>) {
    ///     let kind = GroupVersionKind::gvk("shop.example.com", "v1", "Cart");
    ///     let resource = ApiResource::from_gvk(&kind);
    ///     manager.controller_dynamic(resource, Scope::Namespaced, reconcile).start();
    /// }
    /// ```
    pub fn controller_dynamic<R, F>(
        &mut self,
        resource: ApiResource,
        scope: Scope,
        reconcile: R,
    ) -> ControllerBuilder<'_, S, DynamicObject>
    where
        R: Fn(Arc<DynamicObject>, Context<S>) -> F + Send + Sync + 'static,
        F: Future<Output = Result<Action, Error>> + Send + 'static,
    {
        let kind = ChildKind::new(resource, scope == Scope::Namespaced);
        let mut controller = ControllerBuilder::new(self, kind.clone(), reconcile);
        controller.dynamic.push(kind);
        controller
    }
}

impl<'m, S, K> ControllerBuilder<'m, S, K>
where
    S: Send + Sync + 'static,
    K: Reconciled,
{
    fn new<R, F>(manager: &'m mut Manager<S>, kind: ChildKind, reconcile: R) -> Self
    where
        R: Fn(Arc<K>, Context<S>) -> F + Send + Sync + 'static,
        F: Future<Output = Result<Action, Error>> + Send + 'static,
    {
        let settings = Settings {
            concurrency: manager.options.max_concurrent_reconciles,
            resync: manager.options.resync_period,
            timeout: Duration::from_secs(60),
            backoff: Backoff::default(),
        };
        Self {
            manager,
            kind,
            name: None,
            reconcile: Arc::new(move |object, context| reconcile(object, context).boxed()),
            on_failure: None,
            cleanup: None,
            settings,
            objects: Watch::new(),
            watches: Vec::new(),
            dynamic: Vec::new(),
            blocks_owner: false,
        }
    }

    /// Names the controller, in metrics and logs. By default it has the name of its kind in lower case. A
    /// second controller of a kind needs a name of its own, and gets a field manager and a finalizer of its
    /// own with it.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # use rop_runtime::{Action, Context, Error, Manager};
    /// # async fn reconcile(_: Arc<Namespace>, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
    /// # fn register(manager: &mut Manager<()>) {
    /// manager
    ///     .controller(reconcile)
    ///     .named("quota")
    ///     .start();
    /// # }
    /// ```
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Maximum number of concurrent reconciles, in place of `--max-concurrent-reconciles`. 0 means no limit.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # use rop_runtime::{Action, Context, Error, Manager};
    /// # async fn reconcile(_: Arc<Namespace>, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
    /// # fn register(manager: &mut Manager<()>) {
    /// manager
    ///     .controller(reconcile)
    ///     .concurrency(10)
    ///     .start();
    /// # }
    /// ```
    pub fn concurrency(mut self, concurrency: u16) -> Self {
        self.settings.concurrency = concurrency;
        self
    }

    /// How long a reconcile may take before it is given up and retried: 60 seconds by default.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # use rop_runtime::{Action, Context, Error, Manager};
    /// # async fn reconcile(_: Arc<Namespace>, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
    /// # fn register(manager: &mut Manager<()>) {
    /// use std::time::Duration;
    ///
    /// manager
    ///     .controller(reconcile)
    ///     .timeout(Duration::from_secs(300))
    ///     .start();
    /// # }
    /// ```
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = timeout;
        self
    }

    /// How long a failed reconcile waits before it is retried.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # use rop_runtime::{Action, Context, Error, Manager};
    /// # async fn reconcile(_: Arc<Namespace>, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
    /// # fn register(manager: &mut Manager<()>) {
    /// use std::time::Duration;
    /// use rop_runtime::Backoff;
    ///
    /// manager
    ///     .controller(reconcile)
    ///     .backoff(Backoff::exponential(Duration::from_secs(5), Duration::from_secs(900)))
    ///     .start();
    /// # }
    /// ```
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.settings.backoff = backoff;
        self
    }

    /// How often every object is reconciled, even without a change, in place of `--resync-period`.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # use rop_runtime::{Action, Context, Error, Manager};
    /// # async fn reconcile(_: Arc<Namespace>, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
    /// # fn register(manager: &mut Manager<()>) {
    /// use std::time::Duration;
    ///
    /// manager
    ///     .controller(reconcile)
    ///     .resync(Duration::from_secs(600))
    ///     .start();
    /// # }
    /// ```
    pub fn resync(mut self, period: Duration) -> Self {
        self.settings.resync = period;
        self
    }

    /// Reconciles only objects with these labels, in the form `a=b,c!=d`. An object that loses them is no
    /// longer this controller's: with a [finalizer](Self::finalizer) it gets a warning as an event, its
    /// finalizer stays, and nothing is cleaned up until it has the labels again.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # use rop_runtime::{Action, Context, Error, Manager};
    /// # async fn reconcile(_: Arc<Namespace>, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
    /// # fn register(manager: &mut Manager<()>) {
    /// manager
    ///     .controller(reconcile)
    ///     .labels("team=shop")
    ///     .start();
    /// # }
    /// ```
    pub fn labels(mut self, selector: impl Into<String>) -> Self {
        self.objects = self.objects.labels(selector);
        self
    }

    /// Reconciles an object only if this property of it changes, such as
    /// [`generation`](kube::runtime::predicates::generation): see [`Watch::filter`].
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # use rop_runtime::{Action, Context, Error, Manager};
    /// # async fn reconcile(_: Arc<Namespace>, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
    /// # fn register(manager: &mut Manager<()>) {
    /// use kube::runtime::predicates;
    ///
    /// manager
    ///     .controller(reconcile)
    ///     // Not for each change of the status.
    ///     .filter(predicates::generation)
    ///     .filter(predicates::labels)
    ///     .start();
    /// # }
    /// ```
    pub fn filter(mut self, property: impl Predicate<K> + Send + Sync + 'static) -> Self {
        self.objects = self.objects.filter(property);
        self
    }

    /// Reconciles an object only after a change that a function lets through, which gets the object before
    /// and after: see [`Watch::filter_by`].
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # use rop_runtime::{Action, Context, Error, Manager};
    /// # async fn reconcile(_: Arc<Namespace>, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
    /// # fn register(manager: &mut Manager<()>) {
    /// manager
    ///     .controller(reconcile)
    ///     .filter_by(|before: &Namespace, after: &Namespace| before.spec != after.spec)
    ///     .start();
    /// # }
    /// ```
    pub fn filter_by(mut self, counts: impl Fn(&K, &K) -> bool + Send + Sync + 'static) -> Self {
        self.objects = self.objects.filter_by(counts);
        self
    }

    /// Writes the status of an object whose reconcile has failed: at once if the error is
    /// [terminal](Error::terminal), after four failures in a row if it is transient. The next reconcile that
    /// succeeds reports as always.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use rop_runtime::{Action, Context, Error, Manager};
    /// # async fn reconcile(_: Arc<App>, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
    /// # use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
    /// # use kube::CustomResource;
    /// # use schemars::JsonSchema;
    /// # use serde::{Deserialize, Serialize};
    /// #
    /// # #[derive(Clone, Debug, CustomResource, Deserialize, JsonSchema, Serialize)]
    /// # #[kube(group = "app.example.com", version = "v1", kind = "App", namespaced, status = "AppStatus")]
    /// # struct AppSpec {
    /// #     replicas: i32,
    /// # }
    /// #
    /// # #[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
    /// # struct AppStatus {
    /// #     conditions: Vec<Condition>,
    /// # }
    /// use rop_runtime::conditions::{Conditions, READY};
    ///
    /// # fn register(manager: &mut Manager<()>) {
    /// manager
    ///     .controller(reconcile)
    ///     .on_failure(|app: &App, error| {
    ///         let before = app.status.as_ref().map_or(&[][..], |status| &status.conditions);
    ///         let mut conditions = Conditions::of(before, app.metadata.generation);
    ///         conditions.set(READY, false, error.reason(), error.to_string());
    ///         AppStatus { conditions: conditions.into() }
    ///     })
    ///     .start();
    /// # }
    /// ```
    pub fn on_failure(
        mut self,
        status: impl Fn(&K, &Error) -> K::Status + Send + Sync + 'static,
    ) -> Self
    where
        K: HasStatus,
        K::Status: PartialEq + Send + Serialize + Sync,
    {
        let status = Arc::new(status);
        self.on_failure = Some(Arc::new(move |object, error, context| {
            let status = status(object, error);
            async move { context.core.report(object, status).await }.boxed()
        }));
        self
    }

    /// Calls `cleanup`, and no reconcile any more, for an object that is being deleted. The object stays
    /// until the cleanup is done. The finalizer is `<group>/cleanup`, or `<group>/<name>` for a controller
    /// that is [named](Self::named); for a kind of Kubernetes, the name of the operator stands for the group.
    ///
    /// A cleanup must also work if no reconcile has succeeded, and if it was done before.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
    /// # use rop_runtime::{Action, Context, Error, Manager};
    /// # async fn reconcile(_: Arc<Namespace>, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
    /// use rop_runtime::Cleanup;
    ///
    /// async fn clean_up(namespace: Arc<Namespace>, context: Context) -> Result<Cleanup, Error> {
    ///     context.remove::<ConfigMap>(&*namespace, "greeting").await
    /// }
    ///
    /// # fn register(manager: &mut Manager<()>) {
    /// manager
    ///     .controller(reconcile)
    ///     .owns::<ConfigMap>()
    ///     .finalizer(clean_up)
    ///     .start();
    /// # }
    /// ```
    pub fn finalizer<C, F>(self, cleanup: C) -> Self
    where
        K: Serialize,
        C: Fn(Arc<K>, Context<S>) -> F + Send + Sync + 'static,
        F: Future<Output = Result<Cleanup, Error>> + Send + 'static,
    {
        self.with_finalizer(None, cleanup)
    }

    /// As [`finalizer`](Self::finalizer), with a name of its own: a domain, a slash and a word.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
    /// # use rop_runtime::{Action, Context, Error, Manager};
    /// # async fn reconcile(_: Arc<Namespace>, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
    /// use rop_runtime::Cleanup;
    ///
    /// async fn clean_up(namespace: Arc<Namespace>, context: Context) -> Result<Cleanup, Error> {
    ///     context.remove::<ConfigMap>(&*namespace, "greeting").await
    /// }
    ///
    /// # fn register(manager: &mut Manager<()>) {
    /// manager
    ///     .controller(reconcile)
    ///     .owns::<ConfigMap>()
    ///     .finalizer_named("shop.example.com/greeting", clean_up)
    ///     .start();
    /// # }
    /// ```
    pub fn finalizer_named<C, F>(self, name: impl Into<String>, cleanup: C) -> Self
    where
        K: Serialize,
        C: Fn(Arc<K>, Context<S>) -> F + Send + Sync + 'static,
        F: Future<Output = Result<Cleanup, Error>> + Send + 'static,
    {
        self.with_finalizer(Some(name.into()), cleanup)
    }

    fn with_finalizer<C, F>(mut self, name: Option<String>, cleanup: C) -> Self
    where
        K: Serialize,
        C: Fn(Arc<K>, Context<S>) -> F + Send + Sync + 'static,
        F: Future<Output = Result<Cleanup, Error>> + Send + 'static,
    {
        let cleanup = Arc::new(cleanup);
        let wrap: CleanupFn<S, K> = Box::new(move |reconcile, name| {
            let name: Arc<str> = name.into();
            Arc::new(move |object, context| {
                let (name, reconcile) = (Arc::clone(&name), Arc::clone(&reconcile));
                let cleanup = Arc::clone(&cleanup);
                async move {
                    let reconcile = |object, context| reconcile(object, context);
                    let cleanup = |object, context| cleanup(object, context);
                    finalizer::run(&name, object, context, reconcile, cleanup).await
                }
                .boxed()
            })
        });
        self.cleanup = Some((name, wrap));
        self
    }
}
