//! A process of a simulation. Its tasks can be paused, resumed and killed without notice, like a
//! real process.

mod blocked;
mod claims;
mod reconciles;
mod unanswered;
mod within;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use k8s_openapi::jiff::SignedDuration;
use serde_json::Value;
use tokio::task::AbortHandle;
use tokio::time::Instant;

pub(super) use claims::Claim;
pub(crate) use claims::claimed;
use reconciles::Reconciles;
pub(super) use reconciles::Work;
pub(crate) use reconciles::{handed_out, reconciled, reconciling};
pub(crate) use unanswered::Unanswered;
use within::Within;
pub(super) use within::outside;
pub(crate) use within::{track, within};

/// Maximum number of polls of a process at one moment.
const BUSY: u32 = 100_000;

thread_local! {
    /// The process whose task is being polled.
    static CURRENT: RefCell<Option<Process>> = const { RefCell::new(None) };
}

/// A process. Clones are the same process.
#[derive(Clone)]
pub(crate) struct Process(Arc<Inner>);

struct Inner {
    name: String,
    skew: Skew,
    begun: Instant,
    state: Mutex<State>,
}

/// How the clock of a process differs from that of the API server.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Skew {
    /// Its lead in seconds when the process begins.
    pub(super) ahead: f64,
    /// The fraction by which it is too fast.
    pub(super) fast: f64,
    /// The number of seconds for which it first stands still.
    pub(super) stands: f64,
}

#[derive(Default)]
struct State {
    mode: Mode,
    /// The tasks that were woken while it was stopped.
    held: Vec<Waker>,
    tasks: Vec<AbortHandle>,
    reconciles: Reconciles,
    /// Children that belong to others, by their claimants and names.
    claims: BTreeSet<Claim>,
    /// The time of the last poll, and the number of polls at that time.
    polled: Option<(Instant, u32)>,
    /// Whether it was killed because it never waited.
    is_busy: bool,
    /// What it did while it kept its thread.
    blocked: Option<String>,
    probes: Option<Probes>,
    webhooks: Option<Webhooks>,
}

/// Returns the results of `/livez` and `/readyz`.
type Probes = Box<dyn Fn() -> [Result<(), String>; 2] + Send>;

/// Handles a review sent to a path.
pub(super) type Webhooks = Arc<dyn Fn(&str, &Value) -> Result<Value, Unanswered> + Send + Sync>;

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
enum Mode {
    #[default]
    Running,
    Stopped,
    Dead,
}

impl Process {
    pub(super) fn new(name: impl Into<String>, skew: Skew) -> Self {
        Self(Arc::new(Inner {
            name: name.into(),
            skew,
            begun: Instant::now(),
            state: Mutex::default(),
        }))
    }

    /// The process whose task is being polled.
    pub(crate) fn current() -> Option<Self> {
        CURRENT.with_borrow(Clone::clone)
    }

    pub(crate) fn name(&self) -> &str {
        &self.0.name
    }

    /// The current difference of its clock.
    pub(crate) fn skew(&self) -> SignedDuration {
        let Skew {
            ahead,
            fast,
            stands,
        } = self.0.skew;
        let elapsed = self.0.begun.elapsed().as_secs_f64();
        let seconds = ahead + fast * elapsed - elapsed.min(stands);
        SignedDuration::try_from_secs_f64(seconds).unwrap_or_default()
    }

    /// The smaller of its current and its initial lead in seconds: timers measure from there.
    pub(super) fn least_ahead(&self) -> f64 {
        self.0.skew.ahead.min(self.skew().as_secs_f64())
    }

    /// Runs `work`, and all tasks that it spawns, as a part of this process.
    pub(crate) fn run<F: Future>(&self, work: F) -> Within<F> {
        Within {
            process: Some(self.clone()),
            work: Box::pin(work),
        }
    }

    /// Stops it, as SIGSTOP or a suspended node does: its tasks are not polled any more.
    pub(crate) fn stop(&self) {
        let mut state = self.lock();
        if state.mode == Mode::Running {
            state.mode = Mode::Stopped;
        }
    }

    /// Resumes it: all pending events reach it at once.
    pub(crate) fn wake(&self) {
        let held = {
            let mut state = self.lock();
            if state.mode != Mode::Stopped {
                return;
            }
            state.mode = Mode::Running;
            std::mem::take(&mut state.held)
        };
        for waker in held {
            waker.wake();
        }
    }

    /// Kills it: its tasks never run again, and its data is dropped.
    pub(crate) fn kill(&self) {
        let (tasks, probes, webhooks) = {
            let mut state = self.lock();
            state.mode = Mode::Dead;
            state.held.clear();
            let tasks = std::mem::take(&mut state.tasks);
            (tasks, state.probes.take(), state.webhooks.take())
        };
        // They hold references to the process.
        drop((probes, webhooks));
        for task in tasks {
            task.abort();
        }
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.lock().mode == Mode::Dead
    }

    /// Aborts a task when the process is killed.
    pub(crate) fn own(&self, task: AbortHandle) {
        let mut state = self.lock();
        state.tasks.retain(|task| !task.is_finished());
        state.tasks.push(task);
    }

    /// Counts a poll. A paused clock does not advance while a task runs, so a process that never waits is killed.
    fn count_poll(&self) {
        let mut state = self.lock();
        let now = Instant::now();
        let before = state.polled.filter(|(at, _)| *at == now);
        let count = before.map_or(1, |(_, count)| count + 1);
        state.polled = Some((now, count));
        let is_busy = count > BUSY && !state.is_busy;
        state.is_busy |= is_busy;
        drop(state);
        if is_busy {
            self.kill();
        }
    }

    /// Whether it was killed because it never waited.
    pub(crate) fn is_busy(&self) -> bool {
        self.lock().is_busy
    }

    /// The results of `/livez` and `/readyz`.
    pub(crate) fn probe(&self) -> [Result<(), String>; 2] {
        let state = self.lock();
        match &state.probes {
            Some(probes) => probes(),
            None => [Ok(()), Err("it has not started".to_owned())],
        }
    }

    pub(super) fn is_running(&self) -> bool {
        self.lock().mode == Mode::Running
    }

    /// Whether a Service sends webhook calls to it: only while it is ready.
    pub(super) fn serves_webhooks(&self) -> bool {
        self.lock().webhooks.is_some() && self.probe()[1].is_ok()
    }

    /// Its webhooks, if it has any.
    pub(super) fn webhooks(&self) -> Option<Webhooks> {
        self.lock().webhooks.clone()
    }

    /// Handles a review sent to a path.
    pub(super) fn webhook(&self, path: &str, review: &Value) -> Result<Value, Unanswered> {
        let webhooks = self
            .webhooks()
            .ok_or_else(|| Unanswered::Refused("connection refused".to_owned()))?;
        let before = CURRENT.replace(Some(self.clone()));
        let answer = webhooks(path, review);
        CURRENT.set(before);
        answer
    }

    /// Whether it is running. If not, `context` is woken when it resumes.
    pub(crate) fn poll_runs(&self, context: &Context<'_>) -> Poll<()> {
        let mut state = self.lock();
        if state.mode == Mode::Running {
            return Poll::Ready(());
        }
        let waker = context.waker();
        if !state.held.iter().any(|held| held.will_wake(waker)) {
            state.held.push(waker.clone());
        }
        Poll::Pending
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Replaces the server of the probes.
pub(crate) fn answer_probes(probes: impl Fn() -> [Result<(), String>; 2] + Send + 'static) {
    if let Some(process) = Process::current() {
        process.lock().probes = Some(Box::new(probes));
    }
}

/// Replaces the server of the webhooks.
#[cfg(feature = "webhook")]
pub(crate) fn answer_webhooks(
    webhooks: impl Fn(&str, &Value) -> Result<Value, Unanswered> + Send + Sync + 'static,
) {
    if let Some(process) = Process::current() {
        process.lock().webhooks = Some(Arc::new(webhooks));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use tokio::time::{advance, sleep};

    use super::*;
    use crate::spawn::spawn;

    /// A process that counts seconds, in a nested task.
    fn counting() -> (Process, Arc<AtomicU32>) {
        let process = Process::new("a", Skew::default());
        let seconds = Arc::<AtomicU32>::default();
        let counted = Arc::clone(&seconds);
        let counts = async move {
            loop {
                sleep(Duration::from_secs(1)).await;
                counted.fetch_add(1, Ordering::Relaxed);
            }
        };
        spawn(process.run(async move { spawn(counts).await }));
        (process, seconds)
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_stopped_goes_on_when_it_is_woken() {
        let (process, seconds) = counting();
        sleep(Duration::from_millis(2500)).await;
        assert_eq!(seconds.load(Ordering::Relaxed), 2);
        process.stop();
        sleep(Duration::from_secs(60)).await;
        assert_eq!(seconds.load(Ordering::Relaxed), 2);
        process.wake();
        sleep(Duration::from_millis(500)).await;
        assert_eq!(seconds.load(Ordering::Relaxed), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn a_clock_is_off_and_goes_at_its_own_speed() {
        let skew = Skew {
            ahead: -30.0,
            fast: 0.5,
            stands: 0.0,
        };
        let process = Process::new("a", skew);
        let still = Process::new(
            "b",
            Skew {
                stands: 60.0,
                ..skew
            },
        );
        assert_eq!(process.skew(), SignedDuration::from_secs(-30));
        advance(Duration::from_secs(100)).await;
        assert_eq!(process.skew(), SignedDuration::from_secs(20));
        assert_eq!(still.skew(), SignedDuration::from_secs(-40));
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_killed_is_dropped() {
        let (process, seconds) = counting();
        sleep(Duration::from_millis(2500)).await;
        process.kill();
        advance(Duration::from_secs(1)).await;
        process.wake();
        sleep(Duration::from_secs(60)).await;
        assert_eq!(seconds.load(Ordering::Relaxed), 2);
        assert_eq!(Arc::strong_count(&seconds), 1);
    }
}
