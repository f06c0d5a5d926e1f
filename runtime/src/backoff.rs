//! How long to wait before something is tried again: longer after each failure in a row.

use std::time::Duration;

use crate::duration::LONGEST;

/// How long a failed reconcile waits before it is tried again: longer after each failure in a row, up to a
/// limit, shortened at random by up to a half so that what failed together is not retried together.
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
    /// Doubles after each failure, from `first` up to `longest`.
    #[must_use]
    pub const fn exponential(first: Duration, longest: Duration) -> Self {
        Self { first, longest }
    }

    /// How long to wait after so many failures in a row.
    pub(crate) fn delay(self, failures: u32) -> Duration {
        jittered(self.longest_delay(failures))
    }

    fn longest_delay(self, failures: u32) -> Duration {
        let factor = 2_u32.saturating_pow(failures.saturating_sub(1));
        self.first.saturating_mul(factor).min(self.longest)
    }
}

/// 250 ms, doubled up to five minutes.
impl Default for Backoff {
    fn default() -> Self {
        Self::exponential(Duration::from_millis(250), Duration::from_secs(300))
    }
}

/// Shortens a time by up to a half, at random.
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
