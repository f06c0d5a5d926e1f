//! The time of a simulation, and of tests with an in-memory API server: that of tokio's clock,
//! starting at a fixed date.

use std::cell::Cell;

use k8s_openapi::jiff::{SignedDuration, Timestamp};

use super::process::Process;
use crate::testing::api_server::Clock;

thread_local! {
    /// The clock of the simulation, or of the API server, of this thread, which began with it.
    static CLOCK: Cell<Option<Clock>> = const { Cell::new(None) };
}

/// Has this thread ask a clock for the time, until what is returned is dropped.
pub(crate) fn begin(clock: Clock) -> Beginning {
    CLOCK.set(Some(clock));
    Beginning(clock)
}

/// Whose clock this thread asks.
#[must_use]
pub(crate) struct Beginning(Clock);

impl Drop for Beginning {
    fn drop(&mut self) {
        // Another may have begun since.
        if CLOCK.get() == Some(self.0) {
            CLOCK.set(None);
        }
    }
}

/// The time by the clock of the process that asks, if this thread has one.
pub(crate) fn now() -> Option<Timestamp> {
    let now = CLOCK.get()?.now();
    Some(now + Process::current().map_or(SignedDuration::ZERO, |process| process.skew()))
}
