//! What this machine has of the programs and places that commands need. Nothing is changed: not here, and not in the
//! cluster.

mod channel;
mod cluster;
#[cfg(unix)]
mod control_plane;
#[cfg(unix)]
mod disk;
mod engines;
mod finding;
mod program;
mod registry;
mod toolchain;

use std::panic::resume_unwind;
use std::path::Path;
use std::thread;

pub(crate) use finding::{Finding, State};

/// A group of findings that depend on each other.
type Check = fn(&Path) -> Vec<Finding>;

/// All of them. They wait for other programs, so they run beside each other.
const CHECKS: &[Check] = &[
    toolchain::check,
    cluster::check,
    engines::check,
    registry::check,
    #[cfg(unix)]
    control_plane::check,
    #[cfg(unix)]
    disk::check,
    program::git,
];

/// Looks for everything that commands in `directory` need: that of a project, or any other.
pub(crate) fn examine(directory: &Path) -> Vec<Finding> {
    thread::scope(|scope| {
        let started: Vec<_> = CHECKS
            .iter()
            .map(|check| scope.spawn(move || check(directory)))
            .collect();
        let findings = started
            .into_iter()
            .map(|check| check.join().unwrap_or_else(|it| resume_unwind(it)));
        findings.flatten().collect()
    })
}
