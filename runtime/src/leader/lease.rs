//! The content of a Lease. Everything is pure, except for the timestamps, which are informational.

use std::time::Duration;

use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::api::ObjectMeta;
use tokio::time::Instant;

use super::Settings;
use crate::clock;

/// A lease, and since when it has been seen unchanged.
#[derive(Debug)]
pub(super) struct Sighting {
    pub(super) lease: Lease,
    since: Instant,
}

impl Sighting {
    /// The lease as it was seen now, after it was seen `before`.
    pub(super) fn new(lease: Lease, before: Option<&Self>, now: Instant) -> Self {
        let unchanged = before.filter(|before| before.lease.spec == lease.spec);
        let since = unchanged.map_or(now, |before| before.since);
        Self { lease, since }
    }

    /// When `settings.identity` can take the lease, if nobody renews it: at once if it holds the lease
    /// already, or nobody does.
    pub(super) fn free_at(&self, settings: &Settings) -> Instant {
        match holder(&self.lease) {
            Some(holder) if holder != settings.identity => self.since + self.duration(settings),
            _ => self.since,
        }
    }

    /// The duration that the holder has set: its settings can differ from those of this process.
    fn duration(&self, settings: &Settings) -> Duration {
        let spec = self.lease.spec.as_ref();
        spec.and_then(|spec| spec.lease_duration_seconds)
            .and_then(|seconds| u64::try_from(seconds).ok())
            .map_or(settings.lease_duration, Duration::from_secs)
    }
}

pub(super) fn holder(lease: &Lease) -> Option<&str> {
    let holder = lease.spec.as_ref()?.holder_identity.as_deref();
    holder.filter(|holder| !holder.is_empty())
}

pub(super) fn first(settings: &Settings) -> Lease {
    let lease = Lease {
        metadata: ObjectMeta {
            name: Some(settings.name.clone()),
            namespace: Some(settings.namespace.clone()),
            ..ObjectMeta::default()
        },
        spec: None,
    };
    let mut lease = held(lease, settings);
    if let Some(spec) = &mut lease.spec {
        spec.lease_transitions = Some(0);
    }
    lease
}

/// A lease as its holder renews it, or as another process takes it. The rest is kept, above all the
/// resourceVersion: the write fails if the lease has changed since it was seen.
pub(super) fn held(mut lease: Lease, settings: &Settings) -> Lease {
    let renewed = holder(&lease) == Some(&*settings.identity);
    let now = MicroTime(clock::now());
    let spec = lease.spec.get_or_insert_default();
    if !renewed {
        spec.holder_identity = Some(settings.identity.clone());
        spec.acquire_time = Some(now.clone());
        let transitions = spec.lease_transitions.unwrap_or_default();
        spec.lease_transitions = Some(transitions.saturating_add(1));
    }
    spec.lease_duration_seconds = Some(whole_seconds(settings.lease_duration));
    spec.renew_time = Some(now);
    lease
}

/// A lease that anybody can take at once.
pub(super) fn released(mut lease: Lease) -> Lease {
    let now = MicroTime(clock::now());
    let spec = lease.spec.get_or_insert_default();
    *spec = LeaseSpec {
        holder_identity: Some(String::new()),
        // For programs that check the duration alone; 0 is not valid.
        lease_duration_seconds: Some(1),
        acquire_time: Some(now.clone()),
        renew_time: Some(now),
        ..spec.clone()
    };
    lease
}

/// Rounded up, so that others wait long enough.
fn whole_seconds(time: Duration) -> i32 {
    let seconds = time.as_secs() + u64::from(time.subsec_nanos() > 0);
    i32::try_from(seconds).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::{Lease, Settings, Sighting, first, held, holder, released};

    fn settings(identity: &str) -> Settings {
        Settings {
            name: "lease".to_owned(),
            namespace: "default".to_owned(),
            identity: identity.to_owned(),
            lease_duration: Duration::from_millis(3_500),
            renew_deadline: Duration::from_secs(2),
            retry_period: Duration::from_secs(1),
        }
    }

    fn transitions(lease: &Lease) -> Option<i32> {
        lease.spec.as_ref().and_then(|spec| spec.lease_transitions)
    }

    #[test]
    fn a_lease_is_free_when_it_was_not_seen_to_change_for_its_duration() {
        let (ours, theirs) = (settings("a"), settings("b"));
        let (start, second) = (Instant::now(), Duration::from_secs(1));
        let lease = first(&theirs);
        let seen = Sighting::new(lease.clone(), None, start);
        assert_eq!(seen.free_at(&ours), start + 4 * second);
        assert_eq!(seen.free_at(&theirs), start);

        let again = Sighting::new(lease.clone(), Some(&seen), start + second);
        assert_eq!(again.free_at(&ours), start + 4 * second);

        // Renewed, whatever its timestamp: it is from the clock of another machine.
        let mut renewed = lease;
        renewed.spec.as_mut().unwrap().renew_time = None;
        let changed = Sighting::new(renewed, Some(&again), start + second);
        assert_eq!(changed.free_at(&ours), start + 5 * second);
    }

    #[test]
    fn a_released_lease_is_free_at_once() {
        let lease = released(first(&settings("b")));
        assert_eq!(holder(&lease), None);
        let now = Instant::now();
        let seen = Sighting::new(lease, None, now);
        assert_eq!(seen.free_at(&settings("a")), now);
    }

    #[test]
    fn the_holder_says_for_how_long() {
        let mut lease = first(&settings("b"));
        lease.spec.as_mut().unwrap().lease_duration_seconds = Some(60);
        let now = Instant::now();
        let free_at = Sighting::new(lease, None, now).free_at(&settings("a"));
        assert_eq!(free_at, now + Duration::from_secs(60));
    }

    #[test]
    fn transitions_count_who_took_it() {
        let (a, b) = (settings("a"), settings("b"));
        let mut lease = first(&a);
        lease.metadata.resource_version = Some("7".to_owned());
        assert_eq!(transitions(&lease), Some(0));

        let renewed = held(lease.clone(), &a);
        assert_eq!(transitions(&renewed), Some(0));
        assert_eq!(
            renewed.spec.as_ref().unwrap().acquire_time,
            lease.spec.as_ref().unwrap().acquire_time
        );
        let taken = held(renewed, &b);
        assert_eq!((holder(&taken), transitions(&taken)), (Some("b"), Some(1)));
        let retaken = held(released(taken), &b);
        assert_eq!(transitions(&retaken), Some(2));
        assert_eq!(retaken.metadata.resource_version.as_deref(), Some("7"));
    }
}
