//! A controller, before it is started.

use std::sync::Arc;

use futures::{FutureExt, StreamExt};
use kube::api::ApiResource;
use kube::runtime::controller::{Action, Config};
use kube::runtime::{Controller, WatchStreamExt, reflector, watcher};
use tokio::sync::Semaphore;
use tracing::info;

use super::backoff::NoBackoff;
use super::children::{self, Ready};
use super::controller::{self, Loop};
use super::health::{Check, Streak};
use super::manager::{Manager, Settings};
use super::{Child, Context, Error, Primary, Reach, Scope, watch};

/// A controller, before it is started.
#[must_use = "a controller does nothing before it is started"]
pub struct Builder<'a, K: Primary, R> {
    pub(super) manager: &'a mut Manager,
    pub(super) reconcile: R,
    pub(super) settings: Settings,
    pub(super) additions: Vec<Box<Addition<K>>>,
}

/// Adds a watch to a controller, in one scope.
pub(super) type Addition<K> = dyn Fn(Controller<K>, &Scope, &mut Parts<'_>) -> Controller<K>;

/// What a watch needs of the manager, and leaves with it.
pub(super) struct Parts<'a> {
    manager: &'a mut Manager,
    caches: Vec<Ready>,
}

impl<'a, K, R, F> Builder<'a, K, R>
where
    K: Primary,
    R: Fn(Arc<K>, Arc<Context>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Result<Action, Error>> + Send + 'static,
{
    pub(super) fn new(manager: &'a mut Manager, reconcile: R) -> Self {
        let settings = manager.settings.clone();
        Self {
            manager,
            reconcile,
            settings,
            additions: Vec::new(),
        }
    }

    /// Watches children of a type, and reconciles the owner of each that something happens to.
    pub fn owns<C: Child>(mut self) -> Self {
        self.additions.push(Box::new(|controller, scope, parts| {
            let streak = parts.streak(watch::name::<C>());
            let (children, ready) = children::watch::<K, C>(scope, &parts.manager.context, streak);
            parts.caches.push(ready);
            controller.owns_stream_with(children, ApiResource::erase::<C>(&()))
        }));
        self
    }

    /// Adds what else kube's own controller can do, such as watching what is not a child.
    pub fn with(mut self, add: impl Fn(Controller<K>, &Scope) -> Controller<K> + 'static) -> Self {
        self.additions
            .push(Box::new(move |controller, scope, _| add(controller, scope)));
        self
    }

    /// Reconciles this many objects at the same time, whatever the flag says. 0 means no limit.
    pub fn concurrency(mut self, concurrency: u16) -> Self {
        self.settings.concurrency = concurrency;
        self
    }

    /// Starts the controller, once the manager runs.
    pub fn start(self) {
        let name = watch::name::<K>();
        let scopes = K::Scope::scopes(&self.manager.context.client, &self.settings.namespaces);
        let (kind, group) = (K::kind(&()), K::group(&()));
        let metrics = &self.manager.metrics;
        let metrics = metrics.controller(&kind, &group, self.settings.concurrency);
        // Each namespace has a loop of its own, with kube's limit: this one is for all of them.
        let places = Arc::new(Semaphore::new(match self.settings.concurrency {
            0 => Semaphore::MAX_PERMITS,
            limit => limit.into(),
        }));
        for scope in scopes {
            let mut parts = Parts {
                manager: self.manager,
                caches: Vec::new(),
            };
            let (store, writer) = reflector::store();
            let streak = parts.streak(name.clone());
            let client = watch::client(&parts.manager.context.client, &streak);
            let objects = watch::events(
                K::Scope::api::<K>(client, scope.namespace()),
                watcher::Config::default(),
                name.clone(),
                streak,
            )
            .map(|event| event.map(|event| event.modify(watch::trim)))
            .reflect(writer)
            .applied_objects();
            let mut controller = Controller::for_stream(objects, store.clone())
                .with_config(Config::default().concurrency(self.settings.concurrency))
                .trigger_backoff(NoBackoff);
            for add in &self.additions {
                controller = add(controller, &scope, &mut parts);
            }

            let caches = parts.caches;
            let objects = store.clone();
            metrics.watch_objects(move || objects.len());
            let setup = Loop {
                name: name.clone(),
                metrics: metrics.clone(),
                context: Arc::clone(&self.manager.context),
                resync: self.settings.resync,
                places: Arc::clone(&places),
                caches: caches.clone(),
                shutdown: self.manager.shutdown.clone(),
            };
            let leadership = self.manager.leadership.clone();
            self.manager.checks.ready.push(Check {
                name: format!("the caches of the controller of {name}"),
                // One that stands by is ready to.
                holds: Box::new(move || {
                    !leadership.may_write()
                        || controller::is_ready(&store)
                            && caches.iter().all(|cache| *cache.borrow())
                }),
            });
            let (name, reconcile) = (name.clone(), self.reconcile.clone());
            let work = async move {
                info!(controller = name, "starting");
                controller::run(controller, reconcile, setup).await;
                format!("the controller of {name}")
            };
            self.manager.controllers.push(work.boxed());
        }
    }
}

impl Parts<'_> {
    /// Counts the failures of a watch, for the liveness of the process.
    fn streak(&mut self, name: String) -> Arc<Streak> {
        let streak = Arc::<Streak>::default();
        let (own, limit) = (
            Arc::clone(&streak),
            self.manager.settings.watch_failure_limit,
        );
        self.manager.checks.alive.push(Check {
            name: format!("the watch of {name}"),
            holds: Box::new(move || !own.is_longer_than(limit)),
        });
        streak
    }
}
