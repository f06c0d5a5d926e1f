//! The settings of leader election: the Lease and the durations.

use std::time::Duration;
use std::{env, fs};

/// The pause between two attempts is longer by up to this share, at random.
pub(super) const JITTER: f64 = 0.2;

/// An election.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The name of the `Lease`, the same for all replicas.
    pub(crate) name: String,
    pub(crate) namespace: String,
    /// The name of this process. No two processes can have the same.
    pub(crate) identity: String,
    /// How long others wait if they do not see the lease renewed.
    pub(crate) lease_duration: Duration,
    /// How long a leader writes after its last renewal. The rest of `lease_duration` is for the requests
    /// that have been sent by then.
    pub(crate) renew_deadline: Duration,
    /// The pause between two attempts.
    pub(crate) retry_period: Duration,
}

/// A flag of leader election is invalid.
///
/// ```
/// use std::time::Duration;
/// use rop_runtime::InvalidSettings;
///
/// let error = InvalidSettings::Short(Duration::from_millis(300));
/// assert!(error.to_string().contains("leader-elect-lease-duration"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidSettings {
    /// Two replicas could be the leader at the same time.
    #[error(
        "--leader-elect-lease-duration ({0:?}) must be longer than --leader-elect-renew-deadline ({1:?})"
    )]
    Deadline(Duration, Duration),
    /// The leader would lose the Lease between two renewals.
    #[error(
        "--leader-elect-renew-deadline ({0:?}) must be longer than 1.2 times --leader-elect-retry-period ({1:?})"
    )]
    Retry(Duration, Duration),
    /// The API has a resolution of seconds.
    #[error("--leader-elect-lease-duration ({0:?}) must be at least 1s")]
    Short(Duration),
    /// There would be no delay between attempts.
    #[error("--leader-elect-retry-period must be longer than 0s")]
    Busy,
    /// The Lease needs a name.
    #[error("--leader-elect-resource-name must not be empty")]
    Nameless,
}

impl Settings {
    /// Checks that an election with these settings is safe. Fails with the flag and the rule that it
    /// breaks.
    pub(super) fn check(&self) -> Result<(), InvalidSettings> {
        let (lease, renew, retry) = (self.lease_duration, self.renew_deadline, self.retry_period);
        if lease < Duration::from_secs(1) {
            return Err(InvalidSettings::Short(lease));
        }
        if lease <= renew {
            return Err(InvalidSettings::Deadline(lease, renew));
        }
        if retry.is_zero() {
            return Err(InvalidSettings::Busy);
        }
        if renew <= retry.mul_f64(1.0 + JITTER) {
            return Err(InvalidSettings::Retry(renew, retry));
        }
        if self.name.is_empty() {
            return Err(InvalidSettings::Nameless);
        }
        Ok(())
    }

    /// The time limit of a request: half of the deadline, so that there is time for another.
    pub(super) fn request_timeout(&self) -> Duration {
        self.renew_deadline / 2
    }

    /// How long to wait before the next attempt.
    pub(super) fn pause(&self) -> Duration {
        self.retry_period.mul_f64(1.0 + JITTER * fastrand::f64())
    }
}

/// A name for this process: that of its host, which is the name of its pod in a cluster, and random
/// digits, because a restarted container is another process.
pub(crate) fn process_identity() -> String {
    let file = || fs::read_to_string("/etc/hostname").ok();
    let host = env::var("HOSTNAME").ok().or_else(file).unwrap_or_default();
    let host = match host.trim() {
        "" => "unknown",
        host => host,
    };
    format!("{host}_{:016x}", fastrand::u64(..))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Settings, process_identity};

    fn check(lease: u64, renew: u64, retry: u64) -> Result<(), String> {
        let settings = Settings {
            name: "lease".to_owned(),
            namespace: "default".to_owned(),
            identity: process_identity(),
            lease_duration: Duration::from_millis(lease),
            renew_deadline: Duration::from_millis(renew),
            retry_period: Duration::from_millis(retry),
        };
        settings.check().map_err(|error| error.to_string())
    }

    #[test]
    fn a_leader_gives_up_before_others_may_take_over() {
        assert_eq!(check(15_000, 10_000, 2_000), Ok(()));
        assert_eq!(
            check(10_000, 10_000, 2_000).unwrap_err(),
            "--leader-elect-lease-duration (10s) must be longer than --leader-elect-renew-deadline (10s)"
        );
    }

    #[test]
    fn it_renews_in_time() {
        let message = check(15_000, 2_400, 2_000).unwrap_err();
        assert_eq!(
            message,
            "--leader-elect-renew-deadline (2.4s) must be longer than 1.2 times --leader-elect-retry-period (2s)"
        );
        assert_eq!(check(15_000, 2_401, 2_000), Ok(()));
        assert!(check(15_000, 10_000, 0).is_err());
    }

    #[test]
    fn a_lease_counts_in_seconds() {
        assert_eq!(check(1_000, 900, 100), Ok(()));
        assert!(check(999, 900, 100).is_err());
    }

    #[test]
    fn no_two_processes_are_the_same() {
        assert_ne!(process_identity(), process_identity());
    }
}
