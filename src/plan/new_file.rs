//! Gives a staged file its name, unless something has it.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use super::step::{Step, Steps};

/// What became of the name that a file was staged under.
pub(super) enum Named {
    /// The file has it no more.
    Moved,
    /// The file has two names now.
    Twice,
}

/// As [`create`], with the folders that are missing.
pub(super) fn create_in_folder(
    staged: &Path,
    target: &Path,
    steps: &mut Steps<'_>,
) -> io::Result<Named> {
    match (create(staged, target, steps), target.parent()) {
        (Err(e), Some(parent)) if e.kind() == ErrorKind::NotFound => {
            fs::create_dir_all(parent)?;
            create(staged, target, steps)
        }
        (created, _) => created,
    }
}

/// Gives a staged file its name. A mere rename would replace what has it.
fn create(staged: &Path, target: &Path, steps: &mut Steps<'_>) -> io::Result<Named> {
    let moved = steps
        .take(Step::Rename)
        .and_then(|()| rename_new(staged, target));
    match moved {
        Err(e) if is_unknown(&e) => {}
        moved => return moved.map(|()| Named::Moved),
    }
    match fs::hard_link(staged, target) {
        Err(e) if has_no_links(&e) => match fs::symlink_metadata(target) {
            Err(e) if e.kind() == ErrorKind::NotFound => {
                fs::rename(staged, target).map(|()| Named::Moved)
            }
            Err(e) => Err(e),
            Ok(_) => Err(ErrorKind::AlreadyExists.into()),
        },
        linked => linked.map(|()| Named::Twice),
    }
}

/// Renames a file, unless something has the name.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn rename_new(_: &Path, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Whether a system, or a file system such as NFS, says that it does not know such a rename.
fn is_unknown(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Unsupported | ErrorKind::InvalidInput
    )
}

/// Whether a file system says that it has no hard links, or none for this file.
pub(super) fn has_no_links(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Unsupported | ErrorKind::PermissionDenied | ErrorKind::TooManyLinks
    )
}
