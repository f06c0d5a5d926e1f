//! Programs on PATH.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A program by its path, or by its name on PATH.
pub(crate) fn on_path(name: impl AsRef<OsStr>) -> Option<PathBuf> {
    let name = Path::new(name.as_ref());
    if name.components().count() > 1 {
        return name.is_file().then(|| name.to_owned());
    }
    let file = name.with_extension(env::consts::EXE_EXTENSION);
    // What a relative folder has depends on the project that a command runs in.
    env::split_paths(&env::var_os("PATH")?)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&file))
        .find(|path| path.is_file())
}
