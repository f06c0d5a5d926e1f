//! What is counted of a controller's reconciles.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use kube::runtime::controller::Action;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};

/// The limits of the buckets of `controller_runtime_reconcile_time_seconds`: all that controller-runtime
/// has, for alerts and objectives name the one that they need.
const RECONCILE_SECONDS: [f64; 40] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9,
    1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 15.0, 20.0,
    25.0, 30.0, 40.0, 50.0, 60.0,
];

/// How a reconcile ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Outcome {
    /// It is done, until something changes or the periodic resync comes.
    Success,
    /// It asked to be called again at once.
    Requeue,
    /// It asked to be called again after a while.
    RequeueAfter,
    /// It failed, and is tried again.
    Error,
    /// It failed, and waits for somebody to change something.
    TerminalError,
    /// It panicked, and is tried again.
    Panic,
    /// It took too long, was given up, and is tried again.
    Timeout,
}

impl Outcome {
    /// Those that count as errors.
    pub(super) const ERRORS: [Self; 4] =
        [Self::Error, Self::TerminalError, Self::Panic, Self::Timeout];

    /// Those after which the object comes back by itself.
    pub(super) const RETRIES: [Self; 5] = [
        Self::Requeue,
        Self::RequeueAfter,
        Self::Error,
        Self::Panic,
        Self::Timeout,
    ];
}

impl From<&Action> for Outcome {
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
pub struct ControllerMetrics(pub(super) Arc<Series>);

/// What is known of one controller. What Prometheus gets is computed from it.
pub(super) struct Series {
    /// The group of the controller's kind.
    pub(super) group: String,
    pub(super) max_concurrent: u16,
    pub(super) reconcile_time: Histogram,
    pub(super) work_duration: Histogram,
    /// How many reconciles have ended, by outcome.
    ended: [AtomicU64; 7],
    /// When each of the running reconciles began, by number.
    running: Mutex<BTreeMap<u64, Instant>>,
    started: AtomicU64,
    caches: Mutex<Vec<Box<dyn Fn() -> usize + Send + Sync>>>,
}

impl ControllerMetrics {
    pub(super) fn new(group: &str, max_concurrent: u16) -> Self {
        Self(Arc::new(Series {
            group: group.to_owned(),
            max_concurrent,
            reconcile_time: Histogram::new(RECONCILE_SECONDS),
            // client-go's, for all of its queues.
            work_duration: Histogram::new(exponential_buckets(10e-9, 10.0, 12)),
            ended: Default::default(),
            running: Mutex::default(),
            started: AtomicU64::default(),
            caches: Mutex::default(),
        }))
    }

    /// Counts a reconcile as running until it is [finished](Running::finished) or dropped.
    pub fn started(&self) -> Running {
        let number = self.0.started.fetch_add(1, Ordering::Relaxed);
        let start = Instant::now();
        lock(&self.0.running).insert(number, start);
        Running {
            series: Arc::clone(&self.0),
            number,
            start,
        }
    }

    /// Tells how many objects a cache holds. Those of several caches are added.
    pub fn watch_objects(&self, count: impl Fn() -> usize + Send + Sync + 'static) {
        lock(&self.0.caches).push(Box::new(count));
    }
}

/// A reconcile that is running.
#[must_use = "a reconcile counts as running until this is dropped"]
pub struct Running {
    series: Arc<Series>,
    number: u64,
    start: Instant,
}

impl Running {
    /// Counts how it ended, and how long it took.
    pub fn finished(self, outcome: Outcome) {
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
    pub(super) fn ended(&self, outcomes: &[Outcome]) -> u64 {
        let count = |outcome: &Outcome| self.ended[*outcome as usize].load(Ordering::Relaxed);
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
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
