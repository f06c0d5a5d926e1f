//! One file of a commit: put in its place, or taken back.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use crate::error::{Code, Context, Error, Result};

use super::disk::{Disk, FileState};
use super::journal::{Entry, digest};
use super::new_file::{Named, create_in_folder, has_no_links};
use super::pending::{Folder, ignore_missing};
use super::step::{Step, Steps};
use crate::disk::View;

/// A project with the folder of a commit.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    pub(super) view: &'a View,
    pub(super) folder: &'a Folder,
}

/// Moves a staged file to its place, or deletes the file, if that still is what the plan was made for. `disk` is that of
/// the whole commit.
pub(super) fn apply(
    disk: &mut Disk<'_>,
    folder: &Folder,
    index: usize,
    entry: &Entry,
    steps: &mut Steps<'_>,
) -> Result<()> {
    let failed = || format!("failed to write `{}`", entry.path);
    let (staged, backup) = (folder.staged(index), folder.backup(index));
    match (disk.look(&entry.path)?, &entry.before) {
        (FileState::Free(target), None) => {
            steps.take(Step::Put).unwritable(failed)?;
            match create_in_folder(&staged, &target, steps) {
                Err(e) if e.kind() == ErrorKind::AlreadyExists => return Err(changed(&entry.path)),
                created => match created.unwritable(failed)? {
                    Named::Moved => return Ok(()),
                    Named::Twice => {}
                },
            }
        }
        (FileState::Text(target, text), Some(before)) if digest(&text) == *before => {
            let kept = || format!("failed to keep a copy of `{}`", entry.path);
            steps.take(Step::Keep).unwritable(kept)?;
            back_up(&target, &backup).unwritable(kept)?;
            steps.take(Step::Put).unwritable(failed)?;
            if fs::read(&target).unwritable(failed)? != text.as_bytes() {
                return Err(changed(&entry.path));
            }
            match entry.after {
                Some(_) => fs::rename(&staged, &target).unwritable(failed)?,
                None => fs::remove_file(&target).unwritable(failed)?,
            }
            // A program that wrote into the file meanwhile wrote into what is kept of it.
            if fs::read(&backup).unwritable(kept)? != text.as_bytes() {
                fs::rename(&backup, &target).unwritable(failed)?;
                return Err(changed(&entry.path));
            }
            if entry.after.is_some() {
                return Ok(());
            }
        }
        (FileState::Text(_, text), _) if Some(digest(&text)) == entry.after => {}
        // Deleted, before a kill.
        (FileState::Free(_), Some(_)) if entry.after.is_none() => {}
        (FileState::Blocked(reason), _) => {
            return Err(Error::new(
                Code::FilesInTheWay,
                format!("`{}` {reason}", entry.path),
            ));
        }
        _ => return Err(changed(&entry.path)),
    }
    steps.take(Step::Unstage).unwritable(failed)?;
    ignore_missing(fs::remove_file(&staged)).unwritable(failed)
}

/// Reverts what [`apply`] did. A file that was changed since stays as it is.
pub(super) fn restore(
    work: Work<'_>,
    index: usize,
    entry: &Entry,
    steps: &mut Steps<'_>,
) -> Result<()> {
    let Work { view, folder } = work;
    let failed = || format!("failed to restore `{}`", entry.path);
    let (staged, backup) = (folder.staged(index), folder.backup(index));
    let (target, text) = match Disk::new(view).look(&entry.path)? {
        FileState::Text(target, text) => (target, text),
        FileState::Free(target) if entry.after.is_none() && backup.exists() => {
            steps.take(Step::Restore).unwritable(failed)?;
            return match create_in_folder(&backup, &target, steps).unwritable(failed)? {
                Named::Moved | Named::Twice => Ok(()),
            };
        }
        _ => return Ok(()),
    };
    if Some(digest(&text)) != entry.after {
        return Ok(());
    }
    if entry.before.is_some() {
        if backup.exists() {
            steps.take(Step::Restore).unwritable(failed)?;
            fs::rename(&backup, &target).unwritable(failed)?;
        }
    } else if !staged.exists() || is_same_file(&staged, &target).unwritable(failed)? {
        steps.take(Step::Restore).unwritable(failed)?;
        fs::remove_file(&target).unwritable(failed)?;
    }
    Ok(())
}

/// A file that is not what the plan was made for.
pub(super) fn changed(path: &str) -> Error {
    Error::new(
        Code::ChangedMeanwhile,
        format!("`{path}` changed while the command ran"),
    )
    .hint("run the command again")
}

/// Gives what a file holds a second name.
fn back_up(target: &Path, backup: &Path) -> io::Result<()> {
    // One that a kill left behind.
    ignore_missing(fs::remove_file(backup))?;
    match fs::hard_link(target, backup) {
        Err(e) if has_no_links(&e) => fs::copy(target, backup).map(drop),
        linked => linked,
    }
}

#[cfg(unix)]
fn is_same_file(left: &Path, right: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (left, right) = (fs::metadata(left)?, fs::metadata(right)?);
    Ok((left.dev(), left.ino()) == (right.dev(), right.ino()))
}

/// Unknown here: what may be the user's stays.
#[cfg(not(unix))]
fn is_same_file(_: &Path, _: &Path) -> io::Result<bool> {
    Ok(false)
}
