//! The memory budget of reviews, as a share of the container's limit.
//!
//! Every client that can connect to the port can send a body, and everyone who can write an object
//! makes the API server send one. Bodies are counted while they arrive. Before one is parsed, its
//! memory use is estimated and reserved.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::bodies::Bodies;
use crate::memory;

/// The number of bytes of a semaphore permit.
const UNIT: usize = 1 << 10;

/// The memory budget of reviews.
pub(super) struct Budget {
    /// The bodies and responses.
    pub(super) bodies: Arc<Bodies>,
    work: Arc<Semaphore>,
    /// A part that is reserved for small reviews, which then need not wait for large ones.
    small: Arc<Semaphore>,
    /// The maximum memory of a small review.
    smallest: usize,
    /// The maximum memory for parsing one review.
    pub(super) most: usize,
}

impl Budget {
    /// The budget of this process.
    pub(super) fn new() -> Self {
        Self::of(memory::limit())
    }

    /// The budget for a memory limit: an eighth for bodies, three eighths for parsing them, and a sixteenth for parsing
    /// small ones.
    pub(super) fn of(limit: usize) -> Self {
        let most = limit / 8 * 3;
        let small = limit / 16;
        Self {
            small: Arc::new(Semaphore::new(small / UNIT)),
            smallest: small / 8,
            bodies: Arc::new(Bodies::new(limit / 8)),
            work: Arc::new(Semaphore::new(most / UNIT)),
            most,
        }
    }

    /// Waits until there is memory to parse a review that needs this much, up to the maximum.
    pub(super) async fn reserve(&self, weight: usize) -> Option<OwnedSemaphorePermit> {
        let units = weight.min(self.most) / UNIT;
        let units = u32::try_from(units).unwrap_or(u32::MAX).max(1);
        let [any, small] = [&self.work, &self.small].map(Arc::clone);
        let reserved = async move { any.acquire_many_owned(units).await.ok() };
        if weight > self.smallest {
            return reserved.await;
        }
        tokio::select! {
            biased;
            reserved = reserved => reserved,
            reserved = small.acquire_many_owned(units) => reserved.ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    /// Waiting functions hold the memory of their reviews, and the largest review waits for all of it.
    #[tokio::test]
    async fn a_small_review_waits_behind_no_large_one() {
        let budget = Budget::of(128 << 20);
        let held = budget.reserve(budget.most - (1 << 20)).await;
        let mut large = Box::pin(budget.reserve(usize::MAX));
        assert!(large.as_mut().now_or_never().is_none());
        let small = || budget.reserve(200 << 10);
        let waiting: Vec<_> = (0..40).map(|_| small().now_or_never().flatten()).collect();
        assert!(waiting.iter().all(Option::is_some));
        drop((held, waiting));
        assert!(large.await.is_some());
    }

    #[tokio::test]
    async fn small_reviews_take_all_that_there_is() {
        let budget = Budget::of(128 << 20);
        let small = || budget.reserve(1 << 20).now_or_never().flatten();
        let reserved: Vec<_> = std::iter::from_fn(small).collect();
        assert_eq!(reserved.len(), 48 + 8);
    }
}
