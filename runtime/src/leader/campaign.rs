//! Acquires the Lease.

use std::pin::Pin;

use futures::{Stream, StreamExt, future};
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::{WatchEvent, WatchParams};
use tokio::time::{Instant, sleep_until};
use tracing::{debug, info, warn};

use super::Elector;
use super::elector::LeaseHolder;
use crate::error::in_full;

/// The changes of the Lease.
type Changes = Pin<Box<dyn Stream<Item = kube::Result<WatchEvent<Lease>>> + Send>>;

impl Elector {
    /// Waits until this process holds the Lease, whatever fails until then. It can be dropped at any time.
    pub(crate) async fn acquire(&mut self) {
        let lease = format!("{}/{}", self.settings.namespace, self.settings.name);
        info!(
            lease,
            identity = self.settings.identity,
            "acquiring the lease"
        );
        let (mut changes, mut leader) = (None, None);
        loop {
            match self.attempt().await {
                // The attempt can take longer than the term.
                Ok(LeaseHolder::Ours) if self.deadline().is_some() => {
                    return info!(lease, "acquired the lease");
                }
                Ok(LeaseHolder::Theirs(holder)) => {
                    if leader.as_ref() != Some(&holder) {
                        info!(lease, holder, "standing by: another replica is the leader");
                        leader = Some(holder);
                    }
                }
                Ok(LeaseHolder::Ours | LeaseHolder::Changed) => {}
                Err(error) => warn!(lease, error = in_full(&error), "cannot acquire the lease"),
            }
            if changes.is_none() {
                changes = self.watch().await;
            }
            self.wait(&mut changes).await;
        }
    }

    /// Waits until the lease can be free, but no longer than a retry period: if it cannot be watched, it
    /// is polled.
    async fn wait(&mut self, changes: &mut Option<Changes>) {
        let poll = Instant::now() + self.settings.pause();
        loop {
            let now = Instant::now();
            let free_at = self
                .sighting
                .as_ref()
                .map(|seen| seen.free_at(&self.settings));
            let wake = free_at
                .filter(|time| *time > now)
                .map_or(poll, |time| time.min(poll));
            let change = async {
                match changes {
                    Some(changes) => changes.next().await,
                    None => future::pending().await,
                }
            };
            let change = tokio::select! {
                biased;
                () = sleep_until(wake) => return,
                change = change => change,
            };
            match change {
                Some(Ok(WatchEvent::Added(lease) | WatchEvent::Modified(lease))) => {
                    self.see(Some(lease));
                    let seen = self.sighting.as_ref();
                    if seen.is_some_and(|seen| seen.free_at(&self.settings) <= Instant::now()) {
                        return;
                    }
                }
                Some(Ok(WatchEvent::Deleted(_))) => return self.see(None),
                Some(Ok(WatchEvent::Bookmark(_))) => {}
                // The watch starts again after the next attempt, which reads the version to start from.
                Some(Ok(WatchEvent::Error(_)) | Err(_)) | None => *changes = None,
            }
        }
    }

    /// Watches the lease from the version that was last seen.
    async fn watch(&self) -> Option<Changes> {
        let seen = self.sighting.as_ref()?;
        let version = seen.lease.metadata.resource_version.as_deref()?;
        let only = format!("metadata.name={}", self.settings.name);
        let params = WatchParams::default().fields(&only);
        match self.in_time(self.leases.watch(&params, version)).await {
            Ok(changes) => Some(changes.boxed()),
            Err(error) => {
                debug!(
                    error = in_full(&error),
                    "cannot watch the lease: polling it"
                );
                None
            }
        }
    }
}
