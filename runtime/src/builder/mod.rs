//! Configures a controller: what it watches, and how it reconciles.

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

/// Configures a controller. Returned by [`Manager::controller`].
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

/// Wraps a reconcile: adds a finalizer of this name before it, or runs the cleanup.
type CleanupFn<S, K> = Box<dyn FnOnce(Reconcile<S, K>, String) -> Reconcile<S, K>>;

impl<S: Send + Sync + 'static> Manager<S> {
    /// Creates a controller of a kind, to be started with [`ControllerBuilder::start`]. `reconcile`
    /// is called for each object when the operator starts and whenever the object or one of its
    /// children changes, and never concurrently for the same object. An object that is being
    /// deleted is not reconciled, unless the controller has a
    /// [finalizer](ControllerBuilder::finalizer).
    ///
    /// ```no_run
    /// use std::sync::Arc;
    /// use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
    /// use rop_runtime::{Action, Context, Error, Manager};
    ///
    /// /// The controller's clients and settings.
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

    /// Like [`controller`](Self::controller), for a kind that is only known at run time. The
    /// resource and scope come from kube's [discovery](kube::discovery). Each object has its kind
    /// in its `types`.
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

    /// Sets the name of the controller in metrics and logs. Defaults to its kind in lower case. A
    /// second controller of a kind needs its own name, which also gives it a separate field manager
    /// and finalizer.
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

    /// Sets the maximum number of concurrent reconciles, instead of `--max-concurrent-reconciles`.
    /// 0 means no limit.
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

    /// Sets the timeout of a reconcile, after which it is cancelled and retried. Defaults to 60
    /// seconds.
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

    /// Sets the backoff of failed reconciles.
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

    /// Sets the interval at which every object is reconciled, even without a change, instead of
    /// `--resync-period`.
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

    /// Reconciles only objects with these labels, such as `a=b,c!=d`. If an object with a
    /// [finalizer](Self::finalizer) loses them, a warning event is published, its finalizer
    /// remains, and cleanup does not run until it has the labels again.
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

    /// Reconciles an object only if this property changes, such as
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
    ///     // Ignores changes of the status.
    ///     .filter(predicates::generation)
    ///     .filter(predicates::labels)
    ///     .start();
    /// # }
    /// ```
    pub fn filter(mut self, property: impl Predicate<K> + Send + Sync + 'static) -> Self {
        self.objects = self.objects.filter(property);
        self
    }

    /// Reconciles an object only if a function returns true for its old and new state: see
    /// [`Watch::filter_by`].
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

    /// Reports failed reconciles in the status: immediately if the error is
    /// [terminal](Error::terminal), and after four consecutive failures if it is transient. The
    /// next successful reconcile overwrites this status.
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

    /// Calls `cleanup` instead of the reconcile for an object that is being deleted. A finalizer keeps the object until
    /// the cleanup is done: `<group>/cleanup`, or `<group>/<name>` for a [named](Self::named) controller. For a
    /// Kubernetes kind, the group is the name of the operator. A cleanup must be idempotent, and must also work if no
    /// reconcile has succeeded.
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

    /// Like [`finalizer`](Self::finalizer), with your own finalizer name: a domain, a slash and a
    /// word.
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
