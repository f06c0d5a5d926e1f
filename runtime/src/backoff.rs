//! Delays between retries, which grow with each consecutive failure.

use std::time::Duration;

use crate::duration::LONGEST;

/// The delay before a failed reconcile is retried. It grows with each consecutive failure up to a
/// limit, and is shortened at random by up to half, so that objects that failed together are not
/// retried together.
///
/// ```
/// use std::time::Duration;
/// use rop_runtime::Backoff;
///
/// let patient = Backoff::exponential(Duration::from_secs(5), Duration::from_secs(900));
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
}

impl Backoff {
    /// Doubles the delay after each failure, from `first` up to `longest`.
    #[must_use]
    pub const fn exponential(first: Duration, longest: Duration) -> Self {
        Self { first, longest }
    }

    /// Returns the delay after this number of consecutive failures.
    pub(crate) fn delay(self, failures: u32) -> Duration {
        jittered(self.longest_delay(failures))
    }

    fn longest_delay(self, failures: u32) -> Duration {
        let factor = 2_u32.saturating_pow(failures.saturating_sub(1));
        self.first.saturating_mul(factor).min(self.longest)
    }
}

/// Starts with 250 ms and doubles up to five minutes.
impl Default for Backoff {
    fn default() -> Self {
        Self::exponential(Duration::from_millis(250), Duration::from_secs(300))
    }
}

/// Shortens a duration at random by up to half.
pub(crate) fn jittered(time: Duration) -> Duration {
    time.min(LONGEST).mul_f64(1.0 - fastrand::f64() / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delay_doubles_up_to_a_limit() {
        let second = Duration::from_secs(1);
        let backoff = Backoff::exponential(second, 60 * second);
        for (failures, delay) in [(1, 1), (2, 2), (4, 8), (u32::MAX, 60)] {
            assert_eq!(backoff.longest_delay(failures), delay * second);
        }
    }

    #[test]
    fn the_longest_delay_is_one() {
        let backoff = Backoff::exponential(Duration::MAX, Duration::MAX);
        assert!(backoff.delay(u32::MAX) <= LONGEST);
    }

    #[test]
    fn jitter_takes_at_most_a_half() {
        let minute = Duration::from_secs(60);
        for _ in 0..1000 {
            let time = jittered(minute);
            assert!(time > minute / 2 && time <= minute);
        }
    }
}
