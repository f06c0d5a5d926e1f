//! Programs on PATH.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program by its path, or by its name on PATH.
pub(crate) fn on_path(name: impl AsRef<OsStr>) -> Option<PathBuf> {
    let name = Path::new(name.as_ref());
    if name.components().count() > 1 {
        return name.is_file().then(|| name.to_owned());
    }
    let mut file = name.as_os_str().to_owned();
    if !file.to_string_lossy().ends_with(env::consts::EXE_SUFFIX) {
        file.push(env::consts::EXE_SUFFIX);
    }
    // What a relative folder has depends on the project that a command runs in.
    env::split_paths(&env::var_os("PATH")?)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&file))
        .find(|path| path.is_file())
}

/// A program about to be started: the one that [`on_path`] finds, or none. What the operating system finds for a name
/// may be in the project, where PATH has a relative folder.
pub(crate) fn command(name: impl AsRef<OsStr>) -> Command {
    let name = name.as_ref();
    Command::new(on_path(name).unwrap_or_else(|| Path::new("/nonexistent").join(name)))
}
