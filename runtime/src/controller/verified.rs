//! The time when the children of each object were last compared with the API server instead of the
//! cache.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::key::Key;

/// When each object was verified. Objects that always fail, always requeue or always change have no resync, but are
/// verified as often.
#[derive(Debug, Default)]
pub(crate) struct Verified(Mutex<HashMap<Key, Instant>>);

impl Verified {
    /// Whether the next reconcile must ask the API server: it is the resync, or the last verification was a period ago.
    /// No cached data is older than this process, so the first reconcile need not.
    pub(super) fn is_due(&self, object: &Key, period: Duration, is_resync: bool) -> bool {
        let now = Instant::now();
        let mut verified = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(last) = verified.get_mut(object) else {
            verified.insert(object.clone(), now);
            return is_resync;
        };
        let is_due = is_resync || now.duration_since(*last) >= period;
        if is_due {
            *last = now;
        }
        is_due
    }

    /// Removes a deleted object.
    pub(super) fn forget(&self, object: &Key) {
        let mut verified = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        verified.remove(object);
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn each_object_is_verified_once_in_a_period_and_with_each_resync() {
        const PERIOD: Duration = Duration::from_secs(300);
        let verified = Verified::default();
        let (key, other) = (Key::new(None, "one"), Key::new(None, "other"));
        assert!(!verified.is_due(&key, PERIOD, false));
        advance(PERIOD / 2).await;
        assert!(!verified.is_due(&key, PERIOD, false));
        assert!(!verified.is_due(&other, PERIOD, false));
        advance(PERIOD / 2).await;
        assert!(verified.is_due(&key, PERIOD, false));
        assert!(!verified.is_due(&key, PERIOD, false));
        assert!(!verified.is_due(&other, PERIOD, false));
        assert!(verified.is_due(&other, PERIOD, true));
        advance(PERIOD / 2).await;
        assert!(!verified.is_due(&other, PERIOD, false));
        verified.forget(&key);
        advance(PERIOD).await;
        assert!(!verified.is_due(&key, PERIOD, false));
    }
}
