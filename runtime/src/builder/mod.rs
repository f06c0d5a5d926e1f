//! A controller, before it is started: what it watches, and how it reconciles.

mod children;
mod objects;
mod start;

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use kube::core::object::HasStatus;
use kube::runtime::Predicate;
use serde::Serialize;

use crate::backoff::Backoff;
use crate::controller::{OnFailure, Reconcile, Settings};
use crate::kinds::{ChildKind, Watched};
use crate::manager::Manager;
use crate::watch::Watch;
use crate::{Action, Cleanup, Context, Error, finalizer};
use start::Wiring;

/// A controller, before it is started. [`Manager::controller`] makes one.
#[must_use = "a controller does nothing before it is started"]
pub struct ControllerBuilder<'m, S, K> {
    manager: &'m mut Manager<S>,
    name: Option<String>,
    reconcile: Reconcile<S, K>,
    on_failure: Option<OnFailure<S, K>>,
    cleanup: Option<(Option<String>, CleanupFn<S, K>)>,
    settings: Settings,
    objects: Watch<K>,
    watches: Vec<Addition<S, K>>,
    dynamic: Vec<ChildKind>,
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
    pub fn controller<K, R, F>(&mut self, reconcile: R) -> ControllerBuilder<'_, S, K>
    where
        K: Watched,
        R: Fn(Arc<K>, Context<S>) -> F + Send + Sync + 'static,
        F: Future<Output = Result<Action, Error>> + Send + 'static,
    {
        ControllerBuilder::new(self, reconcile)
    }
}

impl<'m, S, K> ControllerBuilder<'m, S, K>
where
    S: Send + Sync + 'static,
    K: Watched,
{
    fn new<R, F>(manager: &'m mut Manager<S>, reconcile: R) -> Self
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
            name: None,
            reconcile: Arc::new(move |object, context| reconcile(object, context).boxed()),
            on_failure: None,
            cleanup: None,
            settings,
            objects: Watch::new(),
            watches: Vec::new(),
            dynamic: Vec::new(),
        }
    }

    /// Names the controller, in metrics and logs. By default it has the name of its kind in lower case. A
    /// second controller of a kind needs a name of its own, and gets a field manager and a finalizer of its
    /// own with it.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Maximum number of concurrent reconciles, in place of `--max-concurrent-reconciles`. 0 means no limit.
    pub fn concurrency(mut self, concurrency: u16) -> Self {
        self.settings.concurrency = concurrency;
        self
    }

    /// How long a reconcile may take before it is given up and retried: 60 seconds by default.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = timeout;
        self
    }

    /// How long a failed reconcile waits before it is retried.
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.settings.backoff = backoff;
        self
    }

    /// How often every object is reconciled, even without a change, in place of `--resync-period`.
    pub fn resync(mut self, period: Duration) -> Self {
        self.settings.resync = period;
        self
    }

    /// Reconciles only objects with these labels, in the form `a=b,c!=d`. An object that loses them is no
    /// longer this controller's: with a [finalizer](Self::finalizer) it gets a warning as an event, its
    /// finalizer stays, and nothing is cleaned up until it has the labels again.
    pub fn labels(mut self, selector: impl Into<String>) -> Self {
        self.objects = self.objects.labels(selector);
        self
    }

    /// Reconciles an object only if this property of it changes, such as
    /// [`generation`](kube::runtime::predicates::generation): see [`Watch::filter`].
    pub fn filter(mut self, property: impl Predicate<K> + Send + Sync + 'static) -> Self {
        self.objects = self.objects.filter(property);
        self
    }

    /// Reconciles an object only after a change that a function lets through, which gets the object before
    /// and after: see [`Watch::filter_by`].
    pub fn filter_by(mut self, counts: impl Fn(&K, &K) -> bool + Send + Sync + 'static) -> Self {
        self.objects = self.objects.filter_by(counts);
        self
    }

    /// Writes the status of an object whose reconcile has failed: at once if the error is
    /// [terminal](Error::terminal), after four failures in a row if it is transient. The next reconcile that
    /// succeeds reports as always.
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
    pub fn finalizer<C, F>(self, cleanup: C) -> Self
    where
        K: Serialize,
        C: Fn(Arc<K>, Context<S>) -> F + Send + Sync + 'static,
        F: Future<Output = Result<Cleanup, Error>> + Send + 'static,
    {
        self.with_finalizer(None, cleanup)
    }

    /// As [`finalizer`](Self::finalizer), with a name of its own: a domain, a slash and a word.
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
