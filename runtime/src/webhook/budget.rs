//! How much memory reviews may take, as a share of what the container may have.
//!
//! Anybody who reaches the port can send a body, and who may write an object has it sent by the API server. A body is
//! counted as it arrives. Before it is read, what that will need is estimated, and waited for.

use std::fs;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::bodies::Bodies;

/// Default if the container has no memory limit, or the limit cannot be read.
const USUAL: usize = 256 << 20;

/// The files of the limit: of version 2 of control groups, and of version 1.
const FILES: [&str; 2] = [
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
];

/// What a permit of the semaphore stands for in bytes.
const UNIT: usize = 1 << 10;

/// The memory that reviews may take.
pub(super) struct Budget {
    /// What arrives, and what is answered.
    pub(super) bodies: Arc<Bodies>,
    work: Arc<Semaphore>,
    /// The most that one review may need to be read.
    pub(super) most: usize,
}

impl Budget {
    /// That of this process.
    pub(super) fn new() -> Self {
        let limits = FILES
            .iter()
            .filter_map(|file| fs::read_to_string(file).ok());
        let limits = limits.filter_map(|text| text.trim().parse().ok());
        Self::of(
            limits
                .min()
                .map_or(USUAL, |limit: usize| limit.min(4 * USUAL)),
        )
    }

    /// That of a limit of memory: an eighth for bodies, and three eighths to read them.
    pub(super) fn of(limit: usize) -> Self {
        let most = limit / 8 * 3;
        Self {
            bodies: Arc::new(Bodies::new(limit / 8)),
            work: Arc::new(Semaphore::new(most / UNIT)),
            most,
        }
    }

    /// Waits until there is memory to read a review that needs this much, or as much as there is.
    pub(super) async fn reserve(&self, weight: usize) -> Option<OwnedSemaphorePermit> {
        let units = weight.min(self.most) / UNIT;
        let units = u32::try_from(units).unwrap_or(u32::MAX).max(1);
        Arc::clone(&self.work).acquire_many_owned(units).await.ok()
    }
}
