//! The loop of one controller: kube's, with what it leaves open. Each object has its own backoff, no
//! reconcile may hang or take the others down, and failures are told.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::{FutureExt, StreamExt, future};
use kube::runtime::Controller;
use kube::runtime::controller::{Action, Error as LoopError};
use kube::runtime::events::EventType;
use kube::runtime::reflector::Store;
use kube::{Resource, ResourceExt};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, debug, field, info_span, warn};

use super::backoff::{Backoff, Key, jittered};
use super::children::Ready;
use super::error::in_full;
use super::metrics::{ControllerMetrics, Outcome};
use super::{Context, Error, Primary, telemetry};

/// How long a reconcile may take, above which it is retried. A request has no limit of its own.
const TIMEOUT: Duration = Duration::from_secs(60);

/// When to try again what is wrong until someone changes something.
const TERMINAL_RETRY: Duration = Duration::from_secs(600);

/// How many failures in a row are told in an event. One or two are in the nature of a cluster.
const NOTEWORTHY: u32 = 4;

/// What a controller runs with.
#[derive(Clone)]
pub(super) struct Loop {
    pub(super) name: String,
    pub(super) metrics: ControllerMetrics,
    pub(super) context: Arc<Context>,
    /// When to look at an object that nothing happened to, in case an event was missed.
    pub(super) resync: Duration,
    /// How many reconciles may run at the same time, in the loops of all namespaces together.
    pub(super) places: Arc<Semaphore>,
    /// The caches that must be filled before anything is reconciled.
    pub(super) caches: Vec<Ready>,
    pub(super) shutdown: CancellationToken,
}

/// Runs a controller until the shutdown, and until the running reconciles have finished.
pub(super) async fn run<K, R, F>(controller: Controller<K>, reconcile: R, setup: Loop)
where
    K: Primary,
    R: Fn(Arc<K>, Arc<Context>) -> F,
    F: Future<Output = Result<Action, Error>> + Send + 'static,
{
    let backoff = Arc::new(Backoff::default());
    let attempt = |object: Arc<K>, context: Arc<Context>| {
        let span = info_span!(
            "reconcile",
            controller = setup.name,
            object = object_name(&*object),
            generation = object.meta().generation,
            trace_id = field::Empty,
        );
        span.record("trace_id", telemetry::trace_id(&span));
        // Boxed, for it is large, and would be copied into each of what is around it.
        let work = reconcile(Arc::clone(&object), Arc::clone(&context)).boxed();
        let (setup, backoff) = (setup.clone(), Arc::clone(&backoff));
        async move {
            let Some(_place) = setup.place().await else {
                return Ok(Action::await_change());
            };
            if let Some(soon) = context.own_writes.missing_in(&*object) {
                return Ok(Action::requeue(soon));
            }
            let running = setup.metrics.started();
            let (outcome, result) = guarded(work).await;
            running.finished(outcome);
            match &result {
                Ok(_) => {
                    backoff.reset(&key(&*object));
                    debug!("reconciled");
                }
                Err(error) => setup.tell(&*object, error, backoff.failures(&key(&*object)) + 1),
            }
            result.map(|action| at_least(setup.resync, action))
        }
        .instrument(span)
    };
    let delay = |object: Arc<K>, error: &Error, _| {
        Action::requeue(match error {
            Error::Transient { not_before, .. } => backoff
                .next(key(&*object))
                .max(not_before.unwrap_or_default()),
            Error::Terminal { .. } => jittered(TERMINAL_RETRY),
        })
    };
    let report = |result| {
        match result {
            // Told above, with the object.
            Ok(_) | Err(LoopError::ReconcilerFailed(..)) => {}
            Err(LoopError::ObjectNotFound(object)) => {
                debug!(%object, "deleted before it was reconciled");
                // A cluster-scoped object is found under the namespace of the child that led to it.
                for namespace in [None, object.namespace] {
                    let writes = &setup.context.own_writes;
                    writes.remove::<K>(namespace.as_deref(), &object.name);
                    backoff.reset(&(namespace, object.name.clone()));
                }
            }
            // Told by the watch.
            Err(LoopError::QueueError(_)) => {}
            Err(LoopError::RunnerError(error)) => debug!(%error, "stopped before the first list"),
        }
        future::ready(())
    };
    let store = controller.store();
    let work = controller
        .graceful_shutdown_on(setup.shutdown.clone().cancelled_owned())
        .run(attempt, delay, Arc::clone(&setup.context))
        .for_each(report);
    // kube does not stop before its first list is complete. Nothing runs yet that should finish.
    let stop = async {
        setup.shutdown.cancelled().await;
        if is_ready(&store) {
            future::pending::<()>().await;
        }
    };
    tokio::select! {
        () = work => {}
        () = stop => {}
    }
}

impl Loop {
    /// Waits for the caches, for without them everything would be applied once more, and then for a
    /// place among the reconciles that may run. There is none any more once the shutdown has begun.
    async fn place(&self) -> Option<SemaphorePermit<'_>> {
        let place = async {
            for cache in &mut self.caches.clone() {
                // Where the watch has ended, so does this controller.
                let _ = cache.wait_for(|is_ready| *is_ready).await;
            }
            self.places.acquire().await.ok()
        };
        tokio::select! {
            biased;
            () = self.shutdown.cancelled() => None,
            place = place => place,
        }
    }

    fn tell<K: Resource<DynamicType = ()>>(&self, object: &K, error: &Error, failures: u32) {
        let (text, retried) = (in_full(error), error.is_transient());
        warn!(error = text, retried, failures, "reconcile failed");
        if !retried || failures == NOTEWORTHY {
            self.context
                .event(object, EventType::Warning, error.reason(), text);
        }
    }
}

/// Whether the first list of a controller is complete.
pub(super) fn is_ready<K>(store: &Store<K>) -> bool
where
    K: Primary,
{
    matches!(store.wait_until_ready().now_or_never(), Some(Ok(())))
}

/// Makes an error of a reconcile that panics or hangs, and tells how it ended.
fn guarded<F>(work: F) -> impl Future<Output = (Outcome, Result<Action, Error>)> + Send
where
    F: Future<Output = Result<Action, Error>> + Send,
{
    let work = tokio::time::timeout(TIMEOUT, AssertUnwindSafe(work).catch_unwind());
    async move {
        match work.await {
            Ok(Ok(result)) => (outcome(&result), result),
            Ok(Err(_)) => (Outcome::Panic, Err(Error::transient("reconcile panicked"))),
            Err(_) => {
                let message = format!("reconcile took more than {TIMEOUT:?}");
                (Outcome::Timeout, Err(Error::transient(message)))
            }
        }
    }
}

fn outcome(result: &Result<Action, Error>) -> Outcome {
    match result {
        Ok(action) => Outcome::from(action),
        Err(error) if error.is_transient() => Outcome::Error,
        Err(_) => Outcome::TerminalError,
    }
}

/// What asks for nothing is looked at after a while all the same.
fn at_least(resync: Duration, action: Action) -> Action {
    if action == Action::await_change() {
        Action::requeue(jittered(resync))
    } else {
        action
    }
}

fn object_name(object: &impl ResourceExt) -> String {
    match object.namespace() {
        Some(namespace) => format!("{namespace}/{}", object.name_any()),
        None => object.name_any(),
    }
}

fn key(object: &impl Resource) -> Key {
    let meta = object.meta();
    (
        meta.namespace.clone(),
        meta.name.clone().unwrap_or_default(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_error() {
        let (outcome, result) = guarded(async { panic!("on purpose") }).await;
        assert_eq!(outcome, Outcome::Panic);
        assert!(result.is_err_and(|error| error.is_transient()));
    }

    #[tokio::test]
    async fn a_result_passes_through() {
        let (outcome, action) = guarded(async { Ok(Action::await_change()) }).await;
        assert_eq!(outcome, Outcome::Success);
        assert_eq!(action.unwrap(), Action::await_change());
        let (outcome, result) = guarded(async { Err(Error::terminal("Bad", "no")) }).await;
        assert_eq!(outcome, Outcome::TerminalError);
        assert!(result.is_err_and(|error| !error.is_transient()));
    }

    #[test]
    fn every_object_is_looked_at_again() {
        let resync = Duration::from_secs(3600);
        assert_ne!(
            at_least(resync, Action::await_change()),
            Action::await_change()
        );
        let own = Action::requeue(Duration::from_secs(1));
        assert_eq!(at_least(resync, own.clone()), own);
    }
}
