//! The server's clock: it starts at a fixed time, or at a given one, and advances with tokio's clock.

use std::time::Duration;

use k8s_openapi::jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

/// The first second of 2030.
const EPOCH: i64 = 1_893_456_000;

/// The time of a server.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Clock {
    epoch: Timestamp,
    start: Instant,
}

impl Clock {
    /// A clock that starts in 2030.
    pub(crate) fn start() -> Self {
        Self::start_at(Timestamp::from_second(EPOCH).expect("a time"))
    }

    /// A clock that starts now, with this time.
    pub(crate) fn start_at(epoch: Timestamp) -> Self {
        let start = Instant::now();
        Self { epoch, start }
    }

    pub(crate) fn now(self) -> Timestamp {
        let elapsed = SignedDuration::try_from(self.start.elapsed()).unwrap_or_default();
        self.epoch.checked_add(elapsed).unwrap_or(self.epoch)
    }

    /// The time in the format of object metadata.
    pub(super) fn seconds(self) -> String {
        self.after(Duration::ZERO)
    }

    /// The time after `wait`, in the same format.
    pub(super) fn after(self, wait: Duration) -> String {
        let later = self.now().checked_add(wait).unwrap_or_else(|_| self.now());
        later.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }
}
