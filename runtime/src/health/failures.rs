//! The failures of a watch.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// The failures of a watch: how many, and since when without a success.
#[derive(Debug, Default)]
pub(crate) struct Failures(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    total: u64,
    /// The first failure since the last success.
    since: Option<Instant>,
}

impl Failures {
    /// The watch failed.
    pub(crate) fn failed(&self) {
        let mut state = self.lock();
        state.total = state.total.saturating_add(1);
        state.since.get_or_insert_with(Instant::now);
    }

    /// The watch has begun, or delivered an event.
    pub(crate) fn succeeded(&self) {
        self.lock().since = None;
    }

    /// Whether the watch has failed, and not succeeded since.
    pub(crate) fn is_failing(&self) -> bool {
        self.lock().since.is_some()
    }

    /// Whether there has been no success for longer than `limit` since the first failure. An attempt that never ends is
    /// not a success.
    pub(crate) fn lasts_longer_than(&self, limit: Duration) -> bool {
        self.lock()
            .since
            .is_some_and(|since| since.elapsed() > limit)
    }

    /// How many times the watch has failed since the start of the process.
    pub(crate) fn total(&self) -> u64 {
        self.lock().total
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const LIMIT: Duration = Duration::from_secs(300);

    #[tokio::test(start_paused = true)]
    async fn only_failures_without_a_success_between_them_last() {
        let failures = Failures::default();
        advance(LIMIT * 2).await;
        assert!(!failures.lasts_longer_than(LIMIT) && !failures.is_failing());

        failures.failed();
        advance(LIMIT).await;
        failures.failed();
        assert!(failures.is_failing() && !failures.lasts_longer_than(LIMIT));
        advance(Duration::from_secs(1)).await;
        assert!(failures.lasts_longer_than(LIMIT));

        failures.succeeded();
        assert!(!failures.lasts_longer_than(LIMIT) && !failures.is_failing());
        failures.failed();
        advance(LIMIT).await;
        assert!(!failures.lasts_longer_than(LIMIT));
        assert_eq!(failures.total(), 3);
    }
}
