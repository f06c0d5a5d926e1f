//! Checks the reconciles of a process: no concurrent reconciles of an object, and no busy loop.

use std::collections::BTreeMap;
use std::future::pending;
use std::time::Duration;

use tokio::time::Instant;

use super::Process;
use crate::Action;
use crate::key::Key;

/// How often a controller may take the same object within [`WINDOW`]: the retries of failures are delayed more each
/// time.
const OFTEN: u32 = 300;

/// The time window for [`OFTEN`].
const WINDOW: Duration = Duration::from_secs(10);

/// The reconciles of a process. Each object is preceded by the name of its controller.
#[derive(Default)]
pub(super) struct Reconciles {
    /// Those that are running, by the controller and the uid of the object.
    running: BTreeMap<(String, String), Running>,
    begun: u64,
    overlap: Option<String>,
    /// How often each object was taken, and since when.
    handed_out: BTreeMap<(String, String), (Instant, u32)>,
    restless: Option<String>,
    /// The object of a reconcile that panicked, and the message of the panic.
    panicked: Option<(String, String)>,
    /// The object of the last reconcile that was stopped at its time limit.
    stopped: Option<(Instant, String)>,
    /// The reconciles of each object.
    work: BTreeMap<(String, String), Work>,
}

struct Running {
    /// As in "while it reconciles it".
    object: String,
    /// Whether its cause tells nothing of the deletion of the object.
    may_be_late: bool,
}

/// The number of reconciles of an object.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::simulation) struct Work {
    /// All of them.
    pub(in crate::simulation) all: u64,
    /// Those that asked for another one after a time.
    pub(in crate::simulation) requeued: u64,
    /// Those that asked for another one in less than a second.
    pub(in crate::simulation) soon: u64,
    /// Whether another one follows after a time: the last one has asked for it, or has failed.
    pub(in crate::simulation) is_scheduled: bool,
    /// The last time that was asked for.
    pub(in crate::simulation) delay: Duration,
}

impl Process {
    /// The reconciles of each object, preceded by the name of its controller.
    pub(in crate::simulation) fn work(&self) -> BTreeMap<(String, String), Work> {
        self.lock().reconciles.work.clone()
    }

    /// The number of reconciles that have begun.
    pub(crate) fn reconciles(&self) -> u64 {
        self.lock().reconciles.begun
    }

    /// What it does, as in "while it reconciles it".
    pub(super) fn doing(&self) -> String {
        let state = self.lock();
        let running = state.reconciles.running.values();
        let running: Vec<_> = running.map(|running| &*running.object).collect();
        match &*running {
            [] => "outside of a reconcile".to_owned(),
            some => format!("while it reconciles {}", some.join(" and ")),
        }
    }

    /// Whether a reconcile of the object with this uid could not know yet that the object was deleted.
    pub(in crate::simulation) fn may_be_late(&self, uid: &str) -> bool {
        let state = self.lock();
        let mut running = state.reconciles.running.iter();
        running.any(|((_, of), running)| of == uid && running.may_be_late)
    }

    /// An object that was reconciled twice at the same time.
    pub(crate) fn overlap(&self) -> Option<String> {
        self.lock().reconciles.overlap.clone()
    }

    /// An object that is reconciled in a busy loop.
    pub(crate) fn restless(&self) -> Option<String> {
        self.lock().reconciles.restless.clone()
    }

    /// An object whose reconcile panicked, and the message of the panic.
    pub(in crate::simulation) fn panicked(&self) -> Option<(String, String)> {
        self.lock().reconciles.panicked.clone()
    }

    /// An object whose reconcile was stopped at its time limit within this time.
    pub(in crate::simulation) fn stopped(&self, within: Duration) -> Option<String> {
        let (at, what) = self.lock().reconciles.stopped.clone()?;
        (at.elapsed() < within).then_some(what)
    }
}

/// A controller takes an object. If it does so too often, this never returns, because otherwise no time would pass.
pub(crate) async fn handed_out(controller: &str, object: &str) {
    let Some(process) = Process::current() else {
        return;
    };
    let is_restless = {
        let mut state = process.lock();
        let now = Instant::now();
        let what = (controller.to_owned(), object.to_owned());
        let known = state.reconciles.handed_out.entry(what);
        let (since, count) = known.or_insert((now, 0));
        if now - *since > WINDOW {
            (*since, *count) = (now, 0);
        }
        *count += 1;
        let is_restless = *count > OFTEN;
        if is_restless {
            state.reconciles.restless = Some(format!("{object} for {controller}"));
        }
        is_restless
    };
    if is_restless {
        pending::<()>().await;
    }
}

/// A reconcile has ended, and may have asked for another one.
pub(crate) fn reconciled(controller: &str, object: &Key, action: Option<&Action>) {
    let Some(process) = Process::current() else {
        return;
    };
    let mut state = process.lock();
    let what = (controller.to_owned(), object.to_string());
    let work = state.reconciles.work.entry(what).or_default();
    work.all += 1;
    let delay = action.map(|action| action.requeue_after());
    work.is_scheduled = delay != Some(None);
    if let Some(delay) = delay.flatten() {
        work.requeued += 1;
        work.soon += u64::from(delay < Duration::from_secs(1));
        work.delay = delay;
    }
}

/// Begins the reconcile of an object. It ends when the result is dropped.
pub(crate) fn reconciling(
    controller: &str,
    object: &Key,
    uid: Option<&str>,
    may_be_late: bool,
) -> Option<Reconciling> {
    let process = Process::current()?;
    let what = (controller.to_owned(), uid.unwrap_or_default().to_owned());
    let object = format!("{object} for {controller}");
    let running = Running {
        object: object.clone(),
        may_be_late,
    };
    let mut state = process.lock();
    state.reconciles.begun += 1;
    let before = state.reconciles.running.insert(what.clone(), running);
    if before.is_some() {
        let overlap = format!("{controller} with uid {}", what.1);
        state.reconciles.overlap.get_or_insert(overlap);
    }
    drop(state);
    Some(Reconciling {
        process,
        what,
        object,
    })
}

/// A running reconcile.
pub(crate) struct Reconciling {
    process: Process,
    what: (String, String),
    object: String,
}

impl Reconciling {
    /// The reconcile panicked, with this message.
    pub(crate) fn panicked(&self, why: &str) {
        let panicked = (self.object.clone(), why.to_owned());
        self.process.lock().reconciles.panicked = Some(panicked);
    }

    /// The reconcile was stopped at its time limit.
    pub(crate) fn stopped(&self) {
        let stopped = (Instant::now(), self.object.clone());
        self.process.lock().reconciles.stopped = Some(stopped);
    }
}

impl Drop for Reconciling {
    fn drop(&mut self) {
        self.process.lock().reconciles.running.remove(&self.what);
    }
}
