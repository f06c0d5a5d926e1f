//! The time of a simulation, and of tests with an in-memory API server: that of tokio's clock,
//! starting at a fixed date.

use std::cell::Cell;

use k8s_openapi::jiff::{SignedDuration, Timestamp};

use super::process::Process;
use crate::testing::api_server::Clock;

thread_local! {
    /// The clock of the simulation or API server that began in this thread.
    static CLOCK: Cell<Option<Clock>> = const { Cell::new(None) };
}

/// Lets this thread use a clock until the returned value is dropped.
pub(crate) fn begin(clock: Clock) -> Beginning {
    CLOCK.set(Some(clock));
    Beginning(clock)
}

/// The clock that this thread uses.
#[must_use]
pub(crate) struct Beginning(Clock);

impl Drop for Beginning {
    fn drop(&mut self) {
        // Another clock may have begun since.
        if CLOCK.get() == Some(self.0) {
            CLOCK.set(None);
        }
    }
}

/// The time by the clock of the current process, if this thread has one.
pub(crate) fn now() -> Option<Timestamp> {
    let now = CLOCK.get()?.now();
    Some(now + Process::current().map_or(SignedDuration::ZERO, |process| process.skew()))
}
