//! The time of a simulation: that of tokio's clock, which is paused, since a day that is always the same.

use std::cell::Cell;

use k8s_openapi::jiff::{SignedDuration, Timestamp};

use super::process::Process;
use crate::testing::api_server::Clock;

thread_local! {
    /// The clock of the simulation of this thread, which began with it.
    static CLOCK: Cell<Option<Clock>> = const { Cell::new(None) };
}

/// Begins a simulation in this thread, until what is returned is dropped.
pub(crate) fn begin() -> Beginning {
    CLOCK.set(Some(Clock::start()));
    Beginning(())
}

/// A simulation that runs in this thread.
#[must_use]
pub(crate) struct Beginning(());

impl Drop for Beginning {
    fn drop(&mut self) {
        CLOCK.set(None);
    }
}

/// The time by the clock of the process that asks, if this thread simulates.
pub(crate) fn now() -> Option<Timestamp> {
    let now = CLOCK.get()?.now();
    Some(now + Process::current().map_or(SignedDuration::ZERO, |process| process.skew()))
}
