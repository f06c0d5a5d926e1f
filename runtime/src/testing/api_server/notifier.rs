//! Notifies watches of changes.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;
use tokio::sync::futures::Notified;

/// Notifies watches of changes, in the order in which they began to wait: tokio's `watch` draws the order from a
/// generator that no seed sets.
#[derive(Debug, Default)]
pub(super) struct Notifier {
    /// How often all watches were ended.
    era: AtomicU64,
    changed: Notify,
}

impl Notifier {
    /// Notifies all watches.
    pub(super) fn notify(&self) {
        self.changed.notify_waiters();
    }

    /// Waits for a notification after this call.
    pub(super) fn changed(&self) -> Notified<'_> {
        self.changed.notified()
    }

    /// Ends all watches.
    pub(super) fn end(&self) {
        self.era.fetch_add(1, Ordering::Relaxed);
        self.notify();
    }

    /// How often all watches were ended.
    pub(super) fn era(&self) -> u64 {
        self.era.load(Ordering::Relaxed)
    }
}
