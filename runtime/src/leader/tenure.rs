//! Renews the Lease, and releases it.

use std::time::Duration;

use tokio::time::{sleep, sleep_until};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::elector::LeaseHolder;
use super::{Elector, lease};
use crate::error::in_full;

/// Attempts to release the lease. One fails if a renewal that timed out was carried out after all.
const RELEASES: usize = 3;

/// The reason why the leader lost the Lease.
///
/// ```
/// use rop_runtime::{Lost, ManagerError};
///
/// /// The new leader, if it is known.
/// fn successor(error: &ManagerError) -> Option<&str> {
///     match error {
///         ManagerError::Lost(Lost::Taken(holder)) => Some(holder),
///         _ => None,
///     }
/// }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Lost {
    /// The Lease was not renewed in time.
    #[error("the lease was not renewed for {0:?}")]
    Expired(Duration),
    /// Another process took the Lease.
    #[error("the lease was taken by {0}")]
    Taken(String),
}

impl Elector {
    /// Keeps the lease until `release` is cancelled, and releases it then. Cancel it when nothing is
    /// written any more: another process leads a moment later. Fails if the lease could not be kept;
    /// nothing can be written from then on.
    pub(crate) async fn hold(mut self, release: CancellationToken) -> Result<(), Lost> {
        let mut pause = self.settings.pause();
        loop {
            // The term counts from the last renewal, not from the start of the next.
            let Some(deadline) = self.deadline() else {
                return Err(self.expired());
            };
            let renewal = async {
                sleep(pause).await;
                self.attempt().await
            };
            let outcome = tokio::select! {
                biased;
                () = release.cancelled() => {
                    self.release().await;
                    return Ok(());
                }
                () = sleep_until(deadline) => return Err(self.expired()),
                outcome = renewal => outcome,
            };
            pause = self.settings.pause();
            match outcome {
                Ok(LeaseHolder::Ours) => {}
                Ok(LeaseHolder::Changed) => pause = Duration::ZERO,
                Ok(LeaseHolder::Theirs(holder)) => {
                    self.leadership.end();
                    return Err(Lost::Taken(holder));
                }
                Err(error) => warn!(error = in_full(&error), "cannot renew the lease"),
            }
        }
    }

    fn expired(&self) -> Lost {
        self.leadership.end();
        Lost::Expired(self.settings.renew_deadline)
    }

    /// Releases the lease. If that fails, it expires.
    async fn release(&mut self) {
        self.leadership.end();
        for _ in 0..RELEASES {
            let current = match self.written.take() {
                Some(lease) => Ok(Some(lease)),
                None => self.read().await,
            };
            let lease = match current {
                Ok(Some(lease)) if lease::holder(&lease) == Some(&self.settings.identity) => lease,
                Ok(_) => return,
                Err(error) => return warn!(error = in_full(&error), "cannot release the lease"),
            };
            match self.replace(&lease::released(lease)).await {
                Ok(_) => return info!("released the lease"),
                Err(error) => warn!(error = in_full(&error), "cannot release the lease"),
            }
        }
    }
}
