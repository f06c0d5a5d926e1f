//! The memory limit of this process.

use std::fs;
use std::sync::OnceLock;

/// Default if the container has no limit, or it cannot be read.
const USUAL: usize = 256 << 20;

/// The files of the limit: of version 2 of control groups, and of version 1.
const FILES: [&str; 2] = [
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
];

/// Returns the limit in bytes, at most 1 GiB.
pub(crate) fn limit() -> usize {
    static LIMIT: OnceLock<usize> = OnceLock::new();
    *LIMIT.get_or_init(|| {
        let limits = FILES
            .iter()
            .filter_map(|file| fs::read_to_string(file).ok())
            .filter_map(|text| text.trim().parse().ok());
        let limit = limits.min();
        limit.map_or(USUAL, |limit: usize| limit.min(4 * USUAL))
    })
}
