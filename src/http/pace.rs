//! How fast a server has to be.

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::time::timeout_at;

use super::{Failure, SLOWEST};

/// The pace of one transfer, shared by those who send and who receive.
#[derive(Clone, Debug)]
pub(crate) struct Pace(Arc<Mutex<Allowance>>);

/// The time that a server may take. At first it is the user's patience, and every byte that moves gives some back, but
/// never more than the patience. So silence ends a transfer, and so does a byte now and then, while one of any length
/// goes on.
#[derive(Debug)]
struct Allowance {
    patience: Duration,
    deadline: Instant,
    /// When something moved.
    last: Instant,
}

impl Pace {
    pub(super) fn new(patience: Duration) -> Self {
        let allowance = Allowance::new(patience, Instant::now());
        Self(Arc::new(Mutex::new(allowance)))
    }

    /// Counts bytes that arrived, or that the network took.
    pub(crate) fn moved(&self, bytes: usize) {
        self.allowance().moved(bytes, Instant::now());
    }

    /// Waits for a part of a transfer, unless the transfer is too slow.
    pub(super) async fn keep<T>(&self, part: impl Future<Output = T>) -> Result<T, Failure> {
        let mut part = pin!(part);
        loop {
            let deadline = self.allowance().deadline;
            match timeout_at(deadline.into(), &mut part).await {
                Ok(done) => return Ok(done),
                // The network took something meanwhile.
                Err(_) if self.allowance().deadline > deadline => {}
                Err(_) => return Err(self.allowance().failure(Instant::now())),
            }
        }
    }

    fn allowance(&self) -> MutexGuard<'_, Allowance> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Allowance {
    fn new(patience: Duration, now: Instant) -> Self {
        Self {
            patience,
            deadline: later(now, patience),
            last: now,
        }
    }

    fn moved(&mut self, bytes: usize, now: Instant) {
        let earned = Duration::from_secs(bytes as u64) / SLOWEST;
        self.deadline = later(self.deadline, earned).min(later(now, self.patience));
        self.last = now;
    }

    /// What is wrong once the deadline has passed.
    fn failure(&self, now: Instant) -> Failure {
        if now >= later(self.last, self.patience) {
            Failure::Silent(self.patience)
        } else {
            Failure::Slow(self.patience)
        }
    }
}

/// The time after a while, which may be as long as a command line can say.
fn later(time: Instant, by: Duration) -> Instant {
    let far = Duration::from_hours(365 * 24);
    time + by.min(far)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    /// After how many seconds a server that sends so much, so often, has used its time up.
    fn ends(allowance: &mut Allowance, now: Instant, bytes: usize, every: u64) -> Option<u64> {
        (1..10_000).map(|time| time * every).find(|seconds| {
            let now = now + Duration::from_secs(*seconds);
            if now >= allowance.deadline {
                return true;
            }
            allowance.moved(bytes, now);
            false
        })
    }

    #[test]
    fn a_byte_a_second_ends_a_transfer() {
        let now = Instant::now();
        let mut allowance = Allowance::new(MINUTE, now);
        assert_eq!(ends(&mut allowance, now, 1, 1), Some(61));
        let failure = allowance.failure(now + Duration::from_secs(61));
        assert!(matches!(failure, Failure::Slow(_)), "{failure:?}");
    }

    #[test]
    fn silence_is_told_from_slowness() {
        let now = Instant::now();
        let allowance = Allowance::new(MINUTE, now);
        let failure = allowance.failure(now + MINUTE);
        assert!(matches!(failure, Failure::Silent(_)), "{failure:?}");
    }

    #[test]
    fn a_fast_start_gives_no_more_than_the_patience() {
        let now = Instant::now();
        let mut allowance = Allowance::new(MINUTE, now);
        allowance.moved(1 << 30, now);
        assert_eq!(ends(&mut allowance, now, 1, 1), Some(61));
    }

    #[test]
    fn a_slow_link_may_take_its_time() {
        let now = Instant::now();
        let mut steady = Allowance::new(MINUTE, now);
        assert_eq!(ends(&mut steady, now, 1100, 1), None);
        let mut in_bursts = Allowance::new(MINUTE, now);
        assert_eq!(ends(&mut in_bursts, now, 100 * 1024, 50), None);
    }

    #[test]
    fn no_patience_is_too_long() {
        let now = Instant::now();
        let mut allowance = Allowance::new(Duration::MAX, now);
        allowance.moved(usize::MAX, now);
        assert!(allowance.deadline > now);
    }
}
