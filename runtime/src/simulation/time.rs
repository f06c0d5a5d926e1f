//! The time of a simulation: that of tokio's clock, which is paused, since a day that is always the same.

use std::cell::Cell;

use k8s_openapi::jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

use super::process::Process;

/// When every simulation begins: 1 January 2030, as for the API server in memory.
const EPOCH: i64 = 1_893_456_000;

thread_local! {
    /// When the simulation of this thread has begun, by tokio's clock.
    static BEGINNING: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Begins a simulation in this thread, until what is returned is dropped.
pub(crate) fn begin() -> Beginning {
    BEGINNING.set(Some(Instant::now()));
    Beginning(())
}

/// A simulation that runs in this thread.
#[must_use]
pub(crate) struct Beginning(());

impl Drop for Beginning {
    fn drop(&mut self) {
        BEGINNING.set(None);
    }
}

/// The time by the clock of the process that asks, if this thread simulates.
pub(crate) fn now() -> Option<Timestamp> {
    let passed = BEGINNING.get()?.elapsed();
    let epoch = Timestamp::from_second(EPOCH).ok()?;
    let now = epoch + SignedDuration::try_from(passed).ok()?;
    Some(now + Process::current().map_or(SignedDuration::ZERO, |process| process.skew()))
}
