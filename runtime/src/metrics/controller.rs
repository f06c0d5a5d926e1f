//! The metrics of a controller.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kube::runtime::controller::Action;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use tokio::time::Instant;

use crate::cache::ConditionCount;
use crate::kinds::ChildKind;

/// The buckets of `controller_runtime_reconcile_time_seconds`: all of controller-runtime's, because alerts
/// and objectives name the one that they need.
const RECONCILE_SECONDS: [f64; 40] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9,
    1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 15.0, 20.0,
    25.0, 30.0, 40.0, 50.0, 60.0,
];

/// How a reconcile ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum ReconcileResult {
    /// Succeeded, until the next change or resync.
    Success,
    /// Succeeded with an immediate requeue.
    Requeue,
    /// Succeeded with a delayed requeue.
    RequeueAfter,
    /// Failed, and is retried.
    Error,
    /// Failed with a terminal error.
    TerminalError,
    /// Panicked, and is retried.
    Panic,
    /// Timed out, was cancelled, and is retried.
    Timeout,
}

impl ReconcileResult {
    /// The outcomes that count as errors.
    pub(super) const ERRORS: [Self; 4] =
        [Self::Error, Self::TerminalError, Self::Panic, Self::Timeout];

    /// The outcomes after which the object is requeued.
    pub(super) const RETRIES: [Self; 5] = [
        Self::Requeue,
        Self::RequeueAfter,
        Self::Error,
        Self::Panic,
        Self::Timeout,
    ];
}

impl From<&Action> for ReconcileResult {
    fn from(action: &Action) -> Self {
        if *action == Action::await_change() {
            Self::Success
        } else if *action == Action::requeue(Duration::ZERO) {
            Self::Requeue
        } else {
            Self::RequeueAfter
        }
    }
}

/// The metrics of one controller. Clones share their values.
#[derive(Clone)]
pub(crate) struct ControllerMetrics(pub(super) Arc<Series>);

/// A number that is computed at each scrape.
type Gauge = Box<dyn Fn() -> usize + Send + Sync>;

/// A group and a kind, and the number of its objects by condition.
pub(super) type KindConditions = ([String; 2], Vec<ConditionCount>);

/// Counts the objects of a kind by condition at each scrape.
struct Objects {
    kind: [String; 2],
    count: Box<dyn Fn() -> Vec<ConditionCount> + Send + Sync>,
}

/// The values of a controller, from which its metrics are computed at each scrape.
pub(super) struct Series {
    pub(super) max_concurrent: u16,
    pub(super) reconcile_time: Histogram,
    pub(super) work_duration: Histogram,
    pub(super) queue_duration: Histogram,
    /// How many reconciles have ended, by outcome.
    ended: [AtomicU64; 7],
    /// When each of the running reconciles began, by number.
    running: Mutex<BTreeMap<u64, Instant>>,
    started: AtomicU64,
    added: AtomicU64,
    unreadable: Mutex<Vec<Gauge>>,
    caches: Mutex<Vec<Gauge>>,
    conditions: Mutex<Vec<Objects>>,
    queues: Mutex<Vec<Gauge>>,
}

impl ControllerMetrics {
    pub(super) fn new(max_concurrent: u16) -> Self {
        // client-go's, for all of its queues.
        let queue_seconds = || Histogram::new(exponential_buckets(10e-9, 10.0, 12));
        Self(Arc::new(Series {
            max_concurrent,
            reconcile_time: Histogram::new(RECONCILE_SECONDS),
            work_duration: queue_seconds(),
            queue_duration: queue_seconds(),
            ended: Default::default(),
            running: Mutex::default(),
            started: AtomicU64::default(),
            added: AtomicU64::default(),
            unreadable: Mutex::default(),
            caches: Mutex::default(),
            conditions: Mutex::default(),
            queues: Mutex::default(),
        }))
    }

    /// Counts a reconcile as running until it is [finished](Running::finished) or dropped.
    pub(crate) fn started(&self) -> Running {
        let number = self.0.started.fetch_add(1, Ordering::Relaxed);
        let start = Instant::now();
        lock(&self.0.running).insert(number, start);
        Running {
            series: Arc::clone(&self.0),
            number,
            start,
        }
    }

    /// Reports how many objects a cache holds. Those of several caches are added.
    pub(crate) fn watch_objects(&self, count: impl Fn() -> usize + Send + Sync + 'static) {
        lock(&self.0.caches).push(Box::new(count));
    }

    /// Reports how many objects wait in a queue. Those of several queues are added.
    pub(crate) fn watch_depth(&self, count: impl Fn() -> usize + Send + Sync + 'static) {
        lock(&self.0.queues).push(Box::new(count));
    }

    /// Counts an object that was added to the queue.
    pub(crate) fn added(&self) {
        self.0.added.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts how long an object waited in the queue before its reconcile.
    pub(crate) fn waited(&self, time: Duration) {
        self.0.queue_duration.observe(time.as_secs_f64());
    }

    /// Reports how many objects cannot be read, because they do not fit the type of the kind.
    pub(crate) fn watch_unreadable(&self, count: impl Fn() -> usize + Send + Sync + 'static) {
        lock(&self.0.unreadable).push(Box::new(count));
    }

    /// Reports the objects of a kind by condition, instead of those reported before.
    pub(crate) fn watch_conditions(
        &self,
        kind: &ChildKind,
        count: impl Fn() -> Vec<ConditionCount> + Send + Sync + 'static,
    ) {
        let kind = [kind.resource.group.clone(), kind.resource.kind.clone()];
        let mut objects = lock(&self.0.conditions);
        objects.retain(|known| known.kind != kind);
        objects.push(Objects {
            kind,
            count: Box::new(count),
        });
    }

    /// Metrics that nobody reads.
    #[cfg(test)]
    pub(crate) fn for_tests() -> Self {
        Self::new(0)
    }
}

/// A reconcile that is running.
#[must_use = "a reconcile counts as running until this is dropped"]
pub(crate) struct Running {
    series: Arc<Series>,
    number: u64,
    start: Instant,
}

impl Running {
    /// Counts how it ended, and how long it took.
    pub(crate) fn finished(self, outcome: ReconcileResult) {
        let seconds = self.start.elapsed().as_secs_f64();
        self.series.reconcile_time.observe(seconds);
        self.series.work_duration.observe(seconds);
        self.series.ended[outcome as usize].fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        lock(&self.series.running).remove(&self.number);
    }
}

impl Series {
    /// How many reconciles have ended in one of these ways.
    pub(super) fn ended(&self, outcomes: &[ReconcileResult]) -> u64 {
        let count =
            |outcome: &ReconcileResult| self.ended[*outcome as usize].load(Ordering::Relaxed);
        outcomes.iter().map(count).sum()
    }

    /// How long each of the running reconciles has been running.
    pub(super) fn ages(&self) -> Vec<Duration> {
        lock(&self.running).values().map(Instant::elapsed).collect()
    }

    /// How many objects the caches hold.
    pub(super) fn objects(&self) -> usize {
        lock(&self.caches).iter().map(|count| count()).sum()
    }

    /// The objects by condition, for each kind.
    pub(super) fn conditions(&self) -> Vec<KindConditions> {
        let objects = lock(&self.conditions);
        objects
            .iter()
            .map(|Objects { kind, count }| (kind.clone(), count()))
            .collect()
    }

    /// How many objects wait in the queues.
    pub(super) fn depth(&self) -> usize {
        lock(&self.queues).iter().map(|count| count()).sum()
    }

    /// How many objects have been added to the queues.
    pub(super) fn added(&self) -> u64 {
        self.added.load(Ordering::Relaxed)
    }

    /// How many objects cannot be read.
    pub(super) fn unreadable(&self) -> usize {
        lock(&self.unreadable).iter().map(|count| count()).sum()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
