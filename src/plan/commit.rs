//! Carries out a plan: all of it or nothing.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Code, Context, Error, Result};

use super::apply::{Work, apply};
use super::disk::{Disk, FileState};
use super::heal;
use super::journal::{Entry, Journal, digest};
use super::pending::Folder;
use super::step::{Observer, Step, Steps};
use super::{Change, Plan};
use crate::beside::both;
use crate::disk::View;

/// Writes what `plan` says below `root`, as the work of `command`. Gives what could not be cleaned
/// up after that: the plan is carried out all the same, and the next command removes it.
///
/// # Errors
/// The disk refused something, or a file changed since the plan was made. The project is as it was,
/// or the message says that it will be.
pub fn commit(root: &Path, command: &str, plan: &Plan) -> Result<Option<Error>> {
    commit_observed(root, command, plan, &mut |_| Ok(()))
}

/// As [`commit`], telling `observer` of each step just before it.
pub fn commit_observed(
    root: &Path,
    command: &str,
    plan: &Plan,
    observer: &mut Observer<'_>,
) -> Result<Option<Error>> {
    if plan.changes.is_empty() {
        return Ok(None);
    }
    let view = View::of(root)?;
    let (folder, steps) = (Folder::of(view.root()), &mut Steps(observer));
    let created = create_root(view.root())?;
    let nothing_written = |error: Error| {
        remove_folders(&created);
        error.context("nothing was written")
    };
    folder.create(steps).map_err(nothing_written)?;
    let journal = match prepare(view.root(), &folder, command, &plan.in_order(), steps) {
        Ok(journal) => journal,
        Err(error) => {
            let _ = folder.remove(steps);
            return Err(nothing_written(error));
        }
    };
    let work = Work {
        view: &view,
        folder: &folder,
    };
    let mut disk = Disk::new(&view);
    for (index, entry) in journal.files.iter().enumerate() {
        let Err(error) = apply(&mut disk, &folder, index, entry, steps) else {
            continue;
        };
        let undone = folder
            .turn_back(steps)
            .unwritable(|| "failed to start undoing")
            .and_then(|()| heal::undo(work, &journal, steps));
        return Err(match undone {
            // The journal goes last, so a folder that stays is known to be of a commit that is undone.
            Ok(()) => {
                let _ = folder.remove(steps);
                nothing_written(error)
            }
            Err(undo) => {
                let undo = undo.chain().collect::<Vec<_>>().join(": ");
                error
                    .with_code(Code::HalfWritten)
                    .context(format!("failed to write all files, and to undo it: {undo}"))
                    .hint("fix the disk; the next rop command completes or undoes the rest")
            }
        });
    }
    heal::remove_empty_folders(&view, &journal, steps);
    let _ = plan.seen.note(&view, &folder, &plan.changes);
    Ok(folder.remove(steps).err())
}

/// Makes the directory of the project, and gives what had to be made for it, outermost first.
fn create_root(root: &Path) -> Result<Vec<PathBuf>> {
    let missing = missing(root, Path::new("/"));
    match fs::create_dir_all(root) {
        Ok(()) => Ok(missing),
        Err(e) => {
            remove_folders(&missing);
            Err(e).unwritable(|| format!("failed to create `{}`", root.display()))
        }
    }
}

/// Removes folders that were made, innermost first. One that somebody used meanwhile stays.
fn remove_folders(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        let _ = fs::remove_dir(folder);
    }
}

/// The folders that have to be made for `folder`, up to one above it, outermost first.
fn missing(folder: &Path, above: &Path) -> Vec<PathBuf> {
    let missing = folder
        .ancestors()
        .take_while(|ancestor| *ancestor != above && !ancestor.exists());
    let mut missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
    missing.reverse();
    missing
}

/// Stages every text and writes the journal.
fn prepare(
    root: &Path,
    folder: &Folder,
    command: &str,
    changes: &[&Change],
    steps: &mut Steps<'_>,
) -> Result<Journal> {
    let mut journal = Journal::new(folder, command)?;
    // A new project is hundreds of files: they are written while their places are looked at.
    let (places, staged) = both(|| places(root, changes), || stage(folder, changes, steps));
    staged?;
    let mut parents = BTreeSet::new();
    for (index, (change, place)) in changes.iter().zip(places?).enumerate() {
        set_permissions(&folder.staged(index), change, &place)
            .unwritable(|| failed_to_stage(change))?;
        let parent = place.target.parent().unwrap_or(root);
        let is_new = parents.insert(parent.to_owned());
        for created in is_new.then(|| missing(parent, root)).into_iter().flatten() {
            let created = created
                .strip_prefix(root)
                .unwrap_or(&created)
                .to_string_lossy()
                .replace('\\', "/");
            if !journal.folders.contains(&created) {
                journal.folders.push(created);
            }
        }
        journal.files.push(place.entry);
    }
    journal.write(folder, steps)?;
    Ok(journal)
}

/// Writes each text into the folder. A file that will be deleted has none.
fn stage(folder: &Folder, changes: &[&Change], steps: &mut Steps<'_>) -> Result<()> {
    for (index, change) in changes.iter().enumerate() {
        let text = change.after.as_deref().unwrap_or_default();
        steps
            .take(Step::Stage)
            .and_then(|()| fs::write(folder.staged(index), text))
            .unwritable(|| failed_to_stage(change))?;
    }
    Ok(())
}

fn failed_to_stage(change: &Change) -> String {
    format!("failed to stage `{}`", change.path)
}

/// Where a change takes place.
struct Place {
    /// Where the file is, or will be.
    target: PathBuf,
    /// Where it was, if it moves.
    from: Option<PathBuf>,
    /// What the journal says of it.
    entry: Entry,
}

/// Looks at the place of each change.
///
/// # Errors
/// A file is no longer what its change was planned for.
fn places(root: &Path, changes: &[&Change]) -> Result<Vec<Place>> {
    let view = View::of(root)?;
    let mut disk = Disk::new(&view);
    changes
        .iter()
        .map(|change| Place::of(&mut disk, change))
        .collect()
}

impl Place {
    fn of(disk: &mut Disk<'_>, change: &Change) -> Result<Self> {
        let target = match (disk.look(&change.path)?, &change.before) {
            (FileState::Free(target), None) => target,
            (FileState::Text(target, text), Some(before)) if text == *before => target,
            _ => return Err(super::apply::changed(&change.path)),
        };
        let from = match &change.from {
            Some(from) => Some(disk.look(from)?),
            None => None,
        };
        let from = from.and_then(|from| match from {
            FileState::Text(from, _) => Some(from),
            FileState::Free(_) | FileState::Blocked(_) => None,
        });
        Ok(Self {
            target,
            from,
            entry: Entry {
                path: change.path.clone(),
                before: change.before.as_deref().map(digest),
                after: change.after.as_deref().map(digest),
            },
        })
    }
}

/// Gives a staged file the permissions that the file will have.
fn set_permissions(staged: &Path, change: &Change, place: &Place) -> io::Result<()> {
    // What moves stays as secret as it is, and a program.
    let had_by = change.before.as_ref().map(|_| &place.target);
    if let Some(path) = place.from.as_ref().or(had_by) {
        return copy_permissions(path, staged);
    }
    let is_script = |text: &String| text.starts_with("#!");
    if change.after.as_ref().is_some_and(is_script) {
        make_executable(staged)?;
    }
    Ok(())
}

fn copy_permissions(from: &Path, to: &Path) -> io::Result<()> {
    fs::set_permissions(to, fs::metadata(from)?.permissions())
}

#[cfg(unix)]
fn make_executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> io::Result<()> {
    Ok(())
}
