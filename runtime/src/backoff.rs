//! How long to wait before something is tried again: longer after each failure in a row.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use kube::runtime::utils::Backoff as KubeBackoff;

const FIRST: Duration = Duration::from_millis(250);
const LONGEST: Duration = Duration::from_secs(300);
const LONGEST_WATCH: Duration = Duration::from_secs(3);

/// After so long without a failure, a watch counts as well.
const WELL: Duration = Duration::from_secs(30);

/// An object, by namespace and name.
pub type Key = (Option<String>, String);

/// The failures in a row of each object that is failing.
#[derive(Debug, Default)]
pub struct Backoff {
    failures: Mutex<HashMap<Key, u32>>,
}

impl Backoff {
    /// Counts a failure and returns how long to wait.
    pub fn next(&self, object: Key) -> Duration {
        let mut failures = self.lock();
        let count = failures.entry(object).or_default();
        *count = count.saturating_add(1);
        jittered(delay(*count))
    }

    /// How often an object has failed in a row.
    pub fn failures(&self, object: &Key) -> u32 {
        self.lock().get(object).copied().unwrap_or_default()
    }

    /// Forgets the failures of an object: it succeeded, or it is gone.
    pub fn reset(&self, object: &Key) {
        self.lock().remove(object);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, u32>> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The backoff of a watch. kube's default grows up to half a minute, and everything that happens
/// meanwhile is late by that once the API server is back.
#[derive(Debug, Default)]
pub struct WatchBackoff {
    failures: u32,
    last: Option<Instant>,
}

impl WatchBackoff {
    fn next_at(&mut self, now: Instant) -> Duration {
        if self.last.is_some_and(|last| now - last > WELL) {
            self.failures = 0;
        }
        self.last = Some(now);
        self.failures = self.failures.saturating_add(1);
        jittered(delay(self.failures).min(LONGEST_WATCH))
    }
}

impl Iterator for WatchBackoff {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        Some(self.next_at(Instant::now()))
    }
}

impl KubeBackoff for WatchBackoff {
    /// Called whenever a watch tells something, and that a list begins is something: a list that
    /// fails each time would be tried without a pause.
    fn reset(&mut self) {}
}

/// Shortens a time by up to a half, at random, so that what failed together is not tried again
/// together.
pub fn jittered(time: Duration) -> Duration {
    time.mul_f64(1.0 - fastrand::f64() / 2.0)
}

fn delay(failures: u32) -> Duration {
    let factor = 2_u32.saturating_pow(failures.saturating_sub(1));
    FIRST.saturating_mul(factor).min(LONGEST)
}

/// The backoff of all watches of a controller together: none, for each has its own. One that fails
/// must not hold up the others.
#[derive(Debug, Default)]
pub struct NoBackoff;

impl Iterator for NoBackoff {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        Some(Duration::ZERO)
    }
}

impl KubeBackoff for NoBackoff {
    fn reset(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::{
        Backoff, FIRST, Instant, KubeBackoff, LONGEST, LONGEST_WATCH, WELL, WatchBackoff, delay,
        jittered,
    };

    #[test]
    fn the_delay_doubles_up_to_a_limit() {
        assert_eq!(delay(1), FIRST);
        assert_eq!(delay(2), FIRST * 2);
        assert_eq!(delay(4), FIRST * 8);
        assert_eq!(delay(u32::MAX), LONGEST);
    }

    #[test]
    fn jitter_takes_at_most_a_half() {
        for _ in 0..1000 {
            let time = jittered(LONGEST);
            assert!(time > LONGEST / 2 && time <= LONGEST);
        }
    }

    #[test]
    fn each_object_has_its_own_count_until_it_succeeds() {
        let backoff = Backoff::default();
        let (one, other) = ((None, "one".to_owned()), (None, "other".to_owned()));
        for _ in 0..8 {
            backoff.next(one.clone());
        }
        assert!(backoff.next(other) <= FIRST);
        assert!(backoff.next(one.clone()) > FIRST);
        backoff.reset(&one);
        assert!(backoff.next(one) <= FIRST);
    }

    #[test]
    fn a_watch_waits_longer_but_never_for_long() {
        let (mut backoff, mut now) = (WatchBackoff::default(), Instant::now());
        for number in 1..20 {
            let time = backoff.next_at(now);
            assert!(time <= LONGEST_WATCH);
            assert!(time > delay(number).min(LONGEST_WATCH) / 2);
            // The list begins anew.
            backoff.reset();
            now += time;
        }
        assert!(backoff.next_at(now + 2 * WELL) <= FIRST);
    }
}
