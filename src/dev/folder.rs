//! Where a session keeps its files: a folder of the project that git does not see.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::disk::check_target;
use crate::error::{Code, Context, Error, Result};

const TARGET: &str = "target";
const FOLDER: &str = "target/rop-dev";
const LOCK: &str = "lock";

/// The folder of a session that runs. Whoever removes it, it is not this.
pub(super) struct Folder {
    path: PathBuf,
    _lock: File,
}

impl Folder {
    /// Makes the folder of the one session that a project can have. What a machine that went down
    /// left there is removed.
    #[expect(clippy::disallowed_methods, reason = "writes no file of a project")]
    pub(super) fn take(root: &Path) -> Result<Self> {
        let path = root.join(FOLDER);
        check_target(root, &path)?;
        let failed = || format!("failed to create the directory `{}`", path.display());
        if is_running(root) {
            return Err(Error::new(
                Code::DevRunning,
                format!("`rop dev` is already running in `{}`", root.display()),
            )
            .hint("stop it, or use its control plane: `rop dev --kubeconfig`"));
        }
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).unwritable(failed);
            }
            _ => fs::create_dir_all(root.join(TARGET)).unwritable(failed)?,
        }
        // Keys and tokens will be in it.
        DirBuilder::new()
            .mode(0o700)
            .create(&path)
            .unwritable(failed)?;
        let lock = File::create(path.join(LOCK)).unwritable(failed)?;
        lock.try_lock().context(Code::LockFailed, failed)?;
        Ok(Self { path, _lock: lock })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// The kubeconfig of the session that runs in a project.
///
/// # Errors
/// There is none.
pub fn kubeconfig(root: &Path) -> Result<PathBuf> {
    let kubeconfig = root.join(FOLDER).join("admin.kubeconfig");
    if is_running(root) && kubeconfig.is_file() {
        return Ok(kubeconfig);
    }
    Err(Error::new(
        Code::DevNotRunning,
        format!("`rop dev` is not running in `{}`", root.display()),
    )
    .hint("start it in another terminal: `rop dev`"))
}

fn is_running(root: &Path) -> bool {
    let lock = File::open(root.join(FOLDER).join(LOCK));
    lock.is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)))
}
