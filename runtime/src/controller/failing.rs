//! The objects of a controller whose last reconcile failed.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::key::Key;

/// The number of consecutive failures of each object.
#[derive(Debug, Default)]
pub(crate) struct Failing(Mutex<HashMap<Key, Streak>>);

#[derive(Debug, Default)]
struct Streak {
    failures: u32,
    error: String,
}

impl Failing {
    /// Counts a failure. Returns the number of consecutive failures, and whether the error differs from the last one.
    pub(super) fn failed(&self, object: &Key, error: &str) -> (u32, bool) {
        let mut failing = self.lock();
        let streak = failing.entry(object.clone()).or_default();
        streak.failures = streak.failures.saturating_add(1);
        let is_news = streak.error != error;
        if is_news {
            error.clone_into(&mut streak.error);
        }
        (streak.failures, is_news)
    }

    /// Resets the failures of an object that succeeded or was deleted.
    pub(super) fn reset(&self, object: &Key) {
        self.lock().remove(object);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Streak>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_object_has_its_own_count_until_it_succeeds() {
        let failing = Failing::default();
        let (key, other) = (Key::new(None, "one"), Key::new(None, "other"));
        assert_eq!(failing.failed(&key, "busy"), (1, true));
        assert_eq!(failing.failed(&key, "busy"), (2, false));
        assert_eq!(failing.failed(&other, "busy"), (1, true));
        assert_eq!(failing.failed(&key, "gone"), (3, true));
        failing.reset(&key);
        assert_eq!(failing.failed(&key, "gone"), (1, true));
    }
}
