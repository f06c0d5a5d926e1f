//! A copy of the manifests of a project that are not all on disk, for kubectl, which reads no others.

use std::fs;

use tempfile::TempDir;

use crate::disk::{View, read};
use crate::error::{Context, Result};

/// A copy, which goes when it is dropped.
pub(super) struct Copy {
    pub(super) view: View,
    _folder: TempDir,
}

/// Copies the folder that a folder of a project is in, such as `config` for `config/default`.
///
/// # Errors
/// A file cannot be read, or the copy cannot be written.
#[expect(clippy::disallowed_methods, reason = "writes no file of a project")]
pub(super) fn of(view: &View, folder: &str) -> Result<Copy> {
    let around = folder.split('/').next().unwrap_or(folder);
    let message = || "failed to copy manifests to a temporary directory";
    let copy = tempfile::tempdir().unwritable(message)?;
    for path in view.own_files_in(around)? {
        // A link may lead to what its user would not publish.
        let Ok(file) = view.own(&path) else {
            continue;
        };
        let to = copy.path().join(&path);
        let parent = to.parent().unwrap_or(copy.path());
        fs::create_dir_all(parent).unwritable(message)?;
        // A file of a generator need not be a text.
        let bytes = match view.read(&path) {
            Ok(Some(text)) => text.into_bytes(),
            _ => read(&file).unreadable(&path)?,
        };
        fs::write(to, bytes).unwritable(message)?;
    }
    Ok(Copy {
        view: View::of(copy.path())?,
        _folder: copy,
    })
}
