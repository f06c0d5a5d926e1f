//! Checks the reconciles of a process: no concurrent reconciles of an object, and no busy loop.

use std::collections::{BTreeMap, BTreeSet};
use std::future::pending;
use std::time::Duration;

use tokio::time::Instant;

use super::Process;

/// How often an object is handed out to a controller within [`WINDOW`] at the most: whatever happens to it,
/// what fails is tried again later each time.
const OFTEN: u32 = 300;

/// The time in which it counts.
const WINDOW: Duration = Duration::from_secs(10);

/// What is known of the reconciles of a process. An object has the name of its controller before it.
#[derive(Default)]
pub(super) struct Reconciles {
    running: BTreeSet<(String, String)>,
    begun: u64,
    overlap: Option<String>,
    /// Since when each object was handed out how often.
    handed_out: BTreeMap<(String, String), (Instant, u32)>,
    restless: Option<String>,
}

impl Process {
    /// How many reconciles have begun.
    pub(crate) fn reconciles(&self) -> u64 {
        self.lock().reconciles.begun
    }

    /// An object that was reconciled twice at once.
    pub(crate) fn overlap(&self) -> Option<String> {
        self.lock().reconciles.overlap.clone()
    }

    /// An object that is reconciled again and again.
    pub(crate) fn restless(&self) -> Option<String> {
        self.lock().reconciles.restless.clone()
    }
}

/// An object is handed out to a controller. What is handed out too often never returns from here, as no time
/// may pass otherwise.
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

/// A reconcile of an object begins. It ends when what is returned is dropped.
pub(crate) fn reconciling(controller: &str, uid: Option<&str>) -> Option<Reconciling> {
    let process = Process::current()?;
    let what = (controller.to_owned(), uid.unwrap_or_default().to_owned());
    let mut state = process.lock();
    state.reconciles.begun += 1;
    if !state.reconciles.running.insert(what.clone()) {
        let overlap = format!("{controller} with uid {}", what.1);
        state.reconciles.overlap.get_or_insert(overlap);
    }
    drop(state);
    Some(Reconciling { process, what })
}

/// A reconcile that is under way.
pub(crate) struct Reconciling {
    process: Process,
    what: (String, String),
}

impl Drop for Reconciling {
    fn drop(&mut self) {
        self.process.lock().reconciles.running.remove(&self.what);
    }
}
