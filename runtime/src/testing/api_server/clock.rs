//! The time of the server: it begins at the same moment every time and goes on as tokio's clock does.

use std::time::Duration;

use k8s_openapi::jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

/// The first second of 2030.
const EPOCH: i64 = 1_893_456_000;

/// A clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(Instant);

impl Clock {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn now(self) -> Timestamp {
        let epoch = Timestamp::from_second(EPOCH).expect("a time");
        let elapsed = SignedDuration::try_from(self.0.elapsed()).unwrap_or_default();
        epoch.checked_add(elapsed).unwrap_or(epoch)
    }

    /// The time as an object's metadata has it.
    pub(super) fn seconds(self) -> String {
        self.after(Duration::ZERO)
    }

    /// The time after a while.
    pub(super) fn after(self, wait: Duration) -> String {
        let later = self.now().checked_add(wait).unwrap_or_else(|_| self.now());
        later.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }
}
