//! Attempts to acquire or renew the Lease.

use k8s_openapi::api::coordination::v1::Lease;
use kube::api::PostParams;
use kube::{Api, Client};
use tokio::time::{Instant, error::Elapsed, timeout};

use super::lease::{self, Sighting};
use super::{Leadership, Settings};
use crate::breakage::{Breakage, broken};

/// A process that takes part in an election.
pub(crate) struct Elector {
    pub(super) leases: Api<Lease>,
    pub(super) settings: Settings,
    pub(super) sighting: Option<Sighting>,
    pub(super) leadership: Leadership,
    /// The lease as it was last written, if nothing has failed since.
    pub(super) written: Option<Lease>,
}

/// The result of an attempt.
pub(super) enum LeaseHolder {
    /// This process holds the Lease.
    Ours,
    /// Another process holds the Lease.
    Theirs(String),
    /// The Lease changed during the attempt.
    Changed,
}

/// Why an attempt failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("no answer in time")]
    Timeout(#[from] Elapsed),
    #[error(transparent)]
    Request(#[from] kube::Error),
}

impl Elector {
    /// Takes part with `client`, which must not be guarded by the leadership of this election.
    pub(crate) fn new(client: Client, settings: Settings) -> (Self, Leadership) {
        let leadership = Leadership::none();
        let elector = Self {
            leases: Api::namespaced(client, &settings.namespace),
            settings,
            sighting: None,
            leadership: leadership.clone(),
            written: None,
        };
        (elector, leadership)
    }

    /// The end of our term, unless it is over.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let end = self.leadership.until();
        end.filter(|_| self.leadership.may_write())
    }

    /// Takes or renews the lease, if it is free or ours. After an attempt that failed, the next one reads
    /// the lease first.
    pub(super) async fn attempt(&mut self) -> Result<LeaseHolder, Failure> {
        let current = match self.written.take() {
            Some(lease) => Some(lease),
            None => self.read().await?,
        };
        if let Some(holder) = self.other_holder() {
            return Ok(LeaseHolder::Theirs(holder));
        }
        // Measured before the request is sent, because others count from its arrival.
        let sent = Instant::now();
        let written = match current {
            None => self.create().await,
            Some(mut lease) => {
                if broken(Breakage::LeaseWithoutVersion) {
                    lease.metadata.resource_version = None;
                }
                self.replace(&lease::held(lease, &self.settings)).await
            }
        };
        match written {
            Ok(lease) => {
                let from = if broken(Breakage::TermFromAnswer) {
                    Instant::now()
                } else {
                    sent
                };
                self.leadership.extend(from + self.settings.renew_deadline);
                self.see(Some(lease.clone()));
                self.written = Some(lease);
                Ok(LeaseHolder::Ours)
            }
            // Another process was faster to change or create the Lease.
            Err(Failure::Request(kube::Error::Api(answer))) if answer.code == 409 => {
                Ok(LeaseHolder::Changed)
            }
            Err(error) => Err(error),
        }
    }

    pub(super) async fn read(&mut self) -> Result<Option<Lease>, Failure> {
        let lease = self
            .in_time(self.leases.get_opt(&self.settings.name))
            .await?;
        self.see(lease.clone());
        Ok(lease)
    }

    /// Records the current Lease.
    pub(super) fn see(&mut self, lease: Option<Lease>) {
        let before = self.sighting.take();
        self.sighting = lease.map(|lease| Sighting::new(lease, before.as_ref(), Instant::now()));
    }

    /// The holder of the lease, if we cannot take it.
    fn other_holder(&self) -> Option<String> {
        let seen = self.sighting.as_ref()?;
        let is_held = seen.free_at(&self.settings) > Instant::now();
        lease::holder(&seen.lease)
            .filter(|_| is_held)
            .map(str::to_owned)
    }

    async fn create(&self) -> Result<Lease, Failure> {
        let (params, first) = (PostParams::default(), lease::first(&self.settings));
        self.in_time(self.leases.create(&params, &first)).await
    }

    pub(super) async fn replace(&self, lease: &Lease) -> Result<Lease, Failure> {
        let (params, name) = (PostParams::default(), &self.settings.name);
        self.in_time(self.leases.replace(name, &params, lease))
            .await
    }

    /// Sends a request with its time limit.
    pub(super) async fn in_time<T>(
        &self,
        request: impl Future<Output = kube::Result<T>>,
    ) -> Result<T, Failure> {
        Ok(timeout(self.settings.request_timeout(), request).await??)
    }
}
