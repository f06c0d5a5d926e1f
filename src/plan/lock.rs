//! One rop at a time in a project.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use crate::error::{Code, Context, Result};

/// Held while a command works in a project. The kernel lets go of it when the process ends,
/// however it ends, and no file stays behind: the lock is on the directory itself.
#[derive(Debug)]
pub struct Lock {
    _directory: File,
}

impl Lock {
    /// Waits until no other rop works in `root`, calling `waiting` once where it has to.
    ///
    /// A directory that is not there yet is locked through the closest one above it that is.
    pub fn take(root: &Path, mut waiting: impl FnMut()) -> Result<Self> {
        loop {
            let path = closest(root);
            let failed = || format!("failed to lock `{}`", path.display());
            let directory = File::open(&path).context(Code::LockFailed, failed)?;
            match directory.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    waiting();
                    directory.lock().context(Code::LockFailed, failed)?;
                }
                Err(TryLockError::Error(e)) => return Err(e).context(Code::LockFailed, failed),
            }
            // The process that was waited for may have made the directory.
            if closest(root) == path {
                return Ok(Self {
                    _directory: directory,
                });
            }
        }
    }
}

fn closest(root: &Path) -> PathBuf {
    root.ancestors()
        .find(|ancestor| ancestor.is_dir())
        .unwrap_or(root)
        .to_owned()
}
