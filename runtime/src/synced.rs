//! Whether the initial list of a watch is complete.

use tokio_util::sync::CancellationToken;

/// Whether the initial list of a watch is complete.
#[derive(Clone, Debug, Default)]
pub(crate) struct Synced(CancellationToken);

impl Synced {
    /// Marks it as complete.
    pub(crate) fn set(&self) {
        self.0.cancel();
    }

    /// Whether it is complete.
    pub(crate) fn is_set(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Waits until it is complete.
    pub(crate) async fn wait(&self) {
        self.0.cancelled().await;
    }
}
