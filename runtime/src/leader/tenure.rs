//! Keeps the lease, and gives it back.

use std::time::Duration;

use tokio::time::{sleep, sleep_until};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::elector::Outcome;
use super::{Elector, lease};
use crate::error::in_full;

/// How often a release is tried. It fails where a renewal that was given up got through after all.
const RELEASES: usize = 3;

/// Why a leader is none any more.
#[derive(Debug, thiserror::Error)]
pub enum Lost {
    /// Its time ran out.
    #[error("the lease was not renewed for {0:?}")]
    Expired(Duration),
    /// Another has the lease.
    #[error("the lease was taken by {0}")]
    Taken(String),
}

impl Elector {
    /// Keeps the lease until `release` is cancelled, and gives it back then. Cancel it when nothing
    /// writes any more: another leads a moment later.
    ///
    /// # Errors
    /// Where the lease could not be kept. Nothing can be written any more then.
    pub async fn hold(mut self, release: CancellationToken) -> Result<(), Lost> {
        let mut pause = self.settings.pause();
        loop {
            // It counts from the last renewal, not from when the next was begun.
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
                Ok(Outcome::Ours) => {}
                Ok(Outcome::Changed) => pause = Duration::ZERO,
                Ok(Outcome::Theirs(holder)) => {
                    self.leadership.end();
                    return Err(Lost::Taken(holder));
                }
                Err(error) => warn!(error = in_full(&error), "the lease was not renewed"),
            }
        }
    }

    fn expired(&self) -> Lost {
        self.leadership.end();
        Lost::Expired(self.settings.renew_deadline)
    }

    /// Gives the lease back. Where that fails it runs out.
    async fn release(&mut self) {
        self.leadership.end();
        for _ in 0..RELEASES {
            let current = match self.written.take() {
                Some(lease) => Ok(Some(lease)),
                None => self.look().await,
            };
            let lease = match current {
                Ok(Some(lease)) if lease::holder(&lease) == Some(&self.settings.identity) => lease,
                Ok(_) => return,
                Err(error) => return warn!(error = in_full(&error), "the lease was not released"),
            };
            match self.replace(&lease::released(lease)).await {
                Ok(_) => return info!("released the lease"),
                Err(error) => warn!(error = in_full(&error), "the lease was not released"),
            }
        }
    }
}
