use std::path::{Path, PathBuf};

use super::finding::{Finding, State};

/// What cargo writes for one operator, with its tests and a release build, in GiB.
const NEEDED: u64 = 5;

/// Free space where cargo writes.
pub(super) fn check(directory: &Path) -> Vec<Finding> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let directory = target
        .as_deref()
        .filter(|it| it.is_dir())
        .unwrap_or(directory);
    let state = match rustix::fs::statvfs(directory) {
        Err(error) => State::Unusable(error.to_string()),
        Ok(disk) => {
            let free = (disk.f_bavail.saturating_mul(disk.f_frsize)) >> 30;
            if free < NEEDED {
                State::Unusable(format!(
                    "{free} GiB free, but a build of an operator takes up to {NEEDED} GiB"
                ))
            } else {
                State::found(format!("{free} GiB free"), directory.display().to_string())
            }
        }
    };
    let needed_for = "everything that compiles";
    let remedy = "make room, or set CARGO_TARGET_DIR to a directory on another disk";
    vec![Finding::optional("disk", needed_for, state).remedy(remedy)]
}
