//! What an election is about, and how long everything takes.

use std::time::Duration;
use std::{env, fs};

/// What is waited between two tries is longer by up to this share, at random.
pub(super) const JITTER: f64 = 0.2;

/// An election.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The name of the `Lease`, the same for all that take part.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// Who takes part: no two processes may ever have the same.
    pub identity: String,
    /// How long others leave a lease alone that they do not see renewed.
    pub lease_duration: Duration,
    /// How long after its last renewal a leader still writes. What is left of `lease_duration` is for
    /// the requests that are under way then.
    pub renew_deadline: Duration,
    /// How long to wait between two tries.
    pub retry_period: Duration,
}

/// A setting that breaks a rule.
#[derive(Debug, thiserror::Error)]
pub enum InvalidSettings {
    /// Two operators would lead at the same time.
    #[error(
        "--leader-elect-lease-duration ({0:?}) must be longer than --leader-elect-renew-deadline ({1:?})"
    )]
    Deadline(Duration, Duration),
    /// A leader would lose its lease between two renewals.
    #[error(
        "--leader-elect-renew-deadline ({0:?}) must be longer than 1.2 times --leader-elect-retry-period ({1:?})"
    )]
    Retry(Duration, Duration),
    /// A lease counts in seconds.
    #[error("--leader-elect-lease-duration ({0:?}) must be at least 1s")]
    Short(Duration),
    /// It would be tried without a pause.
    #[error("--leader-elect-retry-period must be longer than 0s")]
    Busy,
    /// There is no lease without a name.
    #[error("--leader-elect-resource-name must not be empty")]
    Nameless,
}

impl Settings {
    /// Checks that an election with these settings is safe.
    ///
    /// # Errors
    /// Names the flag and the rule that it breaks.
    pub fn check(&self) -> Result<(), InvalidSettings> {
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

    /// How long a request may take. One that hangs leaves the time for another before the deadline.
    pub(super) fn request_timeout(&self) -> Duration {
        self.renew_deadline / 2
    }

    /// How long to wait before the next try.
    pub(super) fn pause(&self) -> Duration {
        self.retry_period.mul_f64(1.0 + JITTER * fastrand::f64())
    }
}

/// A name for this process: that of its host, which is its pod's in a cluster, and random digits,
/// for a restarted container is not the one that was stopped.
#[must_use]
pub fn identity() -> String {
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

    use super::{Settings, identity};

    fn check(lease: u64, renew: u64, retry: u64) -> Result<(), String> {
        let settings = Settings {
            name: "lease".to_owned(),
            namespace: "default".to_owned(),
            identity: identity(),
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
        assert_ne!(identity(), identity());
    }
}
