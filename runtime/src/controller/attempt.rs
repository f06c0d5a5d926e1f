//! Runs one reconcile of an object and handles its result. A reconcile cannot hang or affect
//! others, and every failure is reported.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::api::ListParams;
use kube::runtime::events::EventType;
use kube::{Client, Resource};
use tracing::{Instrument, debug, field, info_span, warn};

use super::cause::Cause;
use super::failing::Failing;
use super::queue::Queue;
use super::verified::Verified;
use crate::backoff::{Backoff, jittered};
use crate::breakage::{Breakage, broken};
use crate::cache::Cache;
use crate::error::in_full;
use crate::key::Key;
use crate::kinds::{ChildKind, Reconciled};
use crate::metrics::{ControllerMetrics, ReconcileResult};
use crate::{Action, Context, Error, telemetry};

/// The minimum delay of a requeue.
const SOONEST: Duration = Duration::from_millis(10);

/// Retries of terminal errors. No event says that a quota or a role has changed, and a user who has just changed one
/// checks whether it helped.
const TERMINAL_RETRY: Backoff =
    Backoff::exponential(Duration::from_secs(10), Duration::from_secs(600));

/// The number of consecutive failures from which an event and the status report them. One or two are normal in a
/// cluster.
const NOTEWORTHY: u32 = 4;

/// A user's reconcile.
pub(crate) type Reconcile<S, K> =
    Arc<dyn Fn(Arc<K>, Context<S>) -> BoxFuture<'static, Result<Action, Error>> + Send + Sync>;

/// Writes the status of an object whose reconcile has failed.
pub(crate) type OnFailure<S, K> = Arc<
    dyn for<'a> Fn(&'a K, &'a Error, &'a Context<S>) -> BoxFuture<'a, Result<(), Error>>
        + Send
        + Sync,
>;

/// The settings of one controller.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// How many objects are reconciled at the same time. 0 means no limit.
    pub(crate) concurrency: u16,
    /// The interval at which unchanged objects are reconciled.
    pub(crate) resync: Duration,
    /// The timeout of a reconcile.
    pub(crate) timeout: Duration,
    pub(crate) backoff: Backoff,
}

/// Runs the reconciles of one controller.
pub(crate) struct Attempts<S, K> {
    pub(crate) name: String,
    pub(crate) reconcile: Reconcile<S, K>,
    pub(crate) on_failure: Option<OnFailure<S, K>>,
    pub(crate) context: Context<S>,
    pub(crate) cache: Arc<Cache<K>>,
    pub(crate) queue: Arc<Queue>,
    pub(crate) settings: Settings,
    pub(crate) metrics: ControllerMetrics,
    pub(crate) failing: Failing,
    pub(crate) verified: Verified,
}

impl<S, K> Attempts<S, K>
where
    S: Send + Sync + 'static,
    K: Reconciled,
{
    /// Opens the queue, with all cached objects.
    pub(crate) fn open(&self) {
        self.queue.open();
        for object in self.cache.list() {
            self.queue.add(Key::of(&*object), Cause::Listed);
        }
    }

    /// Reconciles an object from the queue, and marks it as done.
    pub(super) async fn attempt(&self, key: Arc<Key>, cause: Cause) {
        #[cfg(any(test, feature = "testing"))]
        crate::simulation::process::handed_out(&self.name, &key.to_string()).await;
        if let Some((delay, cause)) = self.next(&key, cause).await {
            self.queue.add_after(&key, delay, cause);
        }
        self.queue.done(&key);
    }

    /// Reconciles an object, and returns when and why it is to be reconciled next.
    async fn next(&self, key: &Arc<Key>, cause: Cause) -> Option<(Duration, Cause)> {
        let Some(object) = self.cache.get(key) else {
            debug!(object = %key, "deleted before it was reconciled");
            self.forget(key);
            return None;
        };
        let own_writes = &self.context.core.own_writes;
        if let Some(limit) = own_writes.missing_in(&*object) {
            self.queue.hold(key, limit, cause);
            // It may have been created since.
            let now = self.cache.get(key);
            if now.is_none_or(|now| own_writes.missing_in(&*now).is_none()) {
                self.queue.release(key);
            }
            return None;
        }
        let (period, is_resync) = (self.settings.resync, cause == Cause::Resync);
        let is_due = self.verified.is_due(key, period, is_resync);
        let verifies = is_due && !broken(Breakage::NeverVerified);
        let result = self.reconcile(object, &cause, verifies).await;
        #[cfg(any(test, feature = "testing"))]
        crate::simulation::process::reconciled(&self.name, key, result.as_ref().ok());
        let next = match result {
            Ok(action) => match action.requeue_after() {
                Some(delay) => (delay.max(SOONEST), Cause::Requeued),
                None => (jittered(self.settings.resync), Cause::Resync),
            },
            Err(_) if broken(Breakage::NoRetry) => return None,
            Err(_) if broken(Breakage::NoBackoff) => (Duration::ZERO, Cause::Retried),
            // The retry checks again whether the object is being deleted.
            Err((delay, _)) if matches!(cause, Cause::Gone { .. }) => (delay, cause),
            Err((delay, _)) => (delay, Cause::Retried),
        };
        Some(next)
    }

    /// Reconciles an object. A failure comes with the delay of the retry.
    pub(crate) async fn reconcile(
        &self,
        object: Arc<K>,
        cause: &Cause,
        verifies: bool,
    ) -> Result<Action, (Duration, Error)> {
        if object.meta().deletion_timestamp.is_some() && !self.context.core.has_finalizer {
            // Its children are garbage collected with it, and must not be created again.
            return Ok(Action::await_change());
        }
        let key = Key::of(&*object);
        let span = info_span!(
            "reconcile",
            controller = self.name,
            object = %key,
            generation = object.meta().generation,
            cause = %cause,
            trace_id = field::Empty,
        );
        span.record("trace_id", telemetry::trace_id(&span));
        let context = Context {
            verifies,
            ..self.context.clone()
        };
        async {
            let running = self.metrics.started();
            #[cfg(any(test, feature = "testing"))]
            let observed = {
                let uid = object.meta().uid.as_deref();
                let may_be_late = cause.may_be_late();
                crate::simulation::process::reconciling(&self.name, &key, uid, may_be_late)
            };
            let work = async {
                let child_is_gone = matches!(cause, Cause::Gone { .. });
                if child_is_gone
                    && is_going(
                        &context.client,
                        &context.core.kind_of(&*object)?,
                        object.meta(),
                    )
                    .await?
                {
                    debug!("the object is being deleted: the child is not created again");
                    return Ok(Action::await_change());
                }
                (self.reconcile)(Arc::clone(&object), context).await
            };
            let (outcome, result) = guarded(work, self.settings.timeout).await;
            running.finished(outcome);
            #[cfg(any(test, feature = "testing"))]
            if let Some(observed) = observed {
                match outcome {
                    ReconcileResult::Panic => {
                        let error = result.as_ref().err().map(Error::to_string);
                        observed.panicked(error.unwrap_or_default().trim_start_matches(PANICKED));
                    }
                    ReconcileResult::Timeout => observed.stopped(),
                    _ => {}
                }
            }
            match result {
                Ok(action) => {
                    self.failing.reset(&key);
                    debug!("reconciled");
                    Ok(action)
                }
                Err(error) => Err((self.failed(&key, &object, &error).await, error)),
            }
        }
        .instrument(span)
        .await
    }

    /// Reports a failure, and returns the delay of the retry.
    async fn failed(&self, key: &Key, object: &K, error: &Error) -> Duration {
        let text = in_full(error);
        let (failures, is_news) = self.failing.failed(key, &text);
        let retried = error.is_transient();
        if is_news {
            warn!(error = text, retried, failures, "reconcile failed");
        } else {
            debug!(error = text, retried, failures, "reconcile failed again");
        }
        if (!retried && is_news) || failures == NOTEWORTHY {
            let reason = error.reason();
            self.context.event(object, EventType::Warning, reason, text);
        }
        if let Some(on_failure) = &self.on_failure
            && (!retried || failures >= NOTEWORTHY)
            && !broken(Breakage::SilentFailure)
            && let Err(error) =
                caught(async { on_failure(object, error, &self.context).await }).await
        {
            debug!(
                error = in_full(&error),
                "cannot report the failure in the status yet"
            );
            return self.settings.backoff.delay(failures);
        }
        match error {
            Error::Transient { not_before, .. } => {
                let delay = self.settings.backoff.delay(failures);
                delay.max(not_before.unwrap_or_default())
            }
            Error::Terminal { .. } => TERMINAL_RETRY.delay(failures),
        }
    }

    /// Removes the state of a deleted object.
    pub(crate) fn forget(&self, key: &Key) {
        let core = &self.context.core;
        core.own_writes.remove(key);
        core.reported.remove(key);
        core.metadata.remove(key);
        self.failing.reset(key);
        self.verified.forget(key);
    }
}

/// Whether a cached object is being deleted or was deleted. Its children can be deleted before the watch reports that,
/// and must not be created again. A list needs no verb that the watch does not need.
async fn is_going(
    client: &Client,
    kind: &ChildKind,
    meta: &ObjectMeta,
) -> Result<bool, kube::Error> {
    if meta.deletion_timestamp.is_some() {
        return Ok(false);
    }
    let name = meta.name.as_deref().unwrap_or_default();
    let only = ListParams::default().fields(&format!("metadata.name={name}"));
    let namespace = meta.namespace.as_deref();
    let found = kind
        .list_metadata(client, namespace, &only)
        .await?
        .items
        .pop();
    Ok(found.is_none_or(|now| {
        let now = now.meta();
        now.uid != meta.uid || now.deletion_timestamp.is_some()
    }))
}

/// What an error of a panic starts with.
const PANICKED: &str = "reconcile panicked: ";

/// What a panic says.
fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message")
}

/// Turns a panic or a timeout of a reconcile into an error, and returns how it ended.
async fn guarded<F>(work: F, limit: Duration) -> (ReconcileResult, Result<Action, Error>)
where
    F: Future<Output = Result<Action, Error>> + Send,
{
    match tokio::time::timeout(limit, AssertUnwindSafe(work).catch_unwind()).await {
        Ok(Ok(result)) => (outcome(&result), result),
        Ok(Err(panic)) => {
            let message = format!("{PANICKED}{}", panic_message(&*panic));
            (ReconcileResult::Panic, Err(Error::transient(message)))
        }
        Err(_) => {
            let message = format!("reconcile took more than {limit:?}");
            (ReconcileResult::Timeout, Err(Error::transient(message)))
        }
    }
}

/// Turns a panic while the status is written into an error.
async fn caught(work: impl Future<Output = Result<(), Error>>) -> Result<(), Error> {
    let result = AssertUnwindSafe(work).catch_unwind().await;
    result.unwrap_or_else(|_| Err(Error::transient("on_failure panicked")))
}

fn outcome(result: &Result<Action, Error>) -> ReconcileResult {
    match result {
        Ok(action) => match action.requeue_after() {
            None => ReconcileResult::Success,
            Some(Duration::ZERO) => ReconcileResult::Requeue,
            Some(_) => ReconcileResult::RequeueAfter,
        },
        Err(error) if error.is_transient() => ReconcileResult::Error,
        Err(_) => ReconcileResult::TerminalError,
    }
}

#[cfg(test)]
mod tests {
    use hyper::StatusCode;
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::{Value, json};

    use super::*;
    use crate::testing::client;

    const LIMIT: Duration = Duration::from_secs(60);

    #[tokio::test(start_paused = true)]
    async fn a_panic_and_a_hang_are_errors() {
        let (outcome, result) = guarded(async { panic!("on purpose") }, LIMIT).await;
        assert_eq!(outcome, ReconcileResult::Panic);
        assert!(result.is_err_and(|error| error.is_transient()));
        let (outcome, result) = guarded(std::future::pending(), LIMIT).await;
        assert_eq!(outcome, ReconcileResult::Timeout);
        assert!(result.is_err_and(|error| error.is_transient()));
    }

    #[tokio::test]
    async fn a_panic_of_what_writes_the_status_is_an_error() {
        let result = caught(async { panic!("on purpose") }).await;
        assert!(result.is_err_and(|error| error.is_transient()));
        assert!(caught(async { Ok(()) }).await.is_ok());
    }

    #[tokio::test]
    async fn an_object_is_going_if_the_api_server_says_so() {
        let going = async |listed: Value| {
            let client = client(move |_, uri, _| {
                let query = uri.query().unwrap_or_default();
                assert!(
                    query.contains("fieldSelector=metadata.name%3Dweb"),
                    "{query}"
                );
                let list = json!({ "metadata": {}, "items": listed });
                (StatusCode::OK, list.to_string())
            });
            let object = json!({ "metadata": { "name": "web", "namespace": "shop", "uid": "1" } });
            let object: ConfigMap = serde_json::from_value(object).unwrap();
            is_going(&client, &ChildKind::of::<ConfigMap>(), &object.metadata)
                .await
                .unwrap()
        };
        assert!(going(json!([])).await);
        assert!(!going(json!([{ "metadata": { "uid": "1" } }])).await);
        assert!(going(json!([{ "metadata": { "uid": "2" } }])).await);
        let deleted = json!({ "uid": "1", "deletionTimestamp": "2026-01-01T00:00:00Z" });
        assert!(going(json!([{ "metadata": deleted }])).await);
    }

    #[tokio::test]
    async fn a_result_passes_through() {
        let (outcome, action) = guarded(async { Ok(Action::await_change()) }, LIMIT).await;
        assert_eq!(outcome, ReconcileResult::Success);
        assert_eq!(action.unwrap(), Action::await_change());
        let (outcome, result) = guarded(async { Err(Error::terminal("Bad", "no")) }, LIMIT).await;
        assert_eq!(outcome, ReconcileResult::TerminalError);
        assert!(result.is_err_and(|error| !error.is_transient()));
    }
}
