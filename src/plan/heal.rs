//! Completes what an interrupted commit left behind, or says what that will be.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::error::{Code, Context, Error, Result};

use super::apply::{Work, apply, restore};
use super::disk::{Disk, FileState};
use super::journal::{Direction, Entry, Journal, digest};
use super::pending::Folder;
use super::step::{Observer, Step, Steps};
use crate::disk::{View, read_text};

/// What an interrupted command left in a project, and how it is healed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "camelCase")]
pub enum Interrupted {
    /// It had changed nothing: what it had prepared is removed.
    Unstarted,
    /// It is finished.
    Unfinished {
        /// The interrupted command, such as `create api`.
        command: String,
        /// Files that it had yet to write.
        files: Vec<String>,
    },
    /// It had failed: what it had changed by then is undone.
    Failed {
        /// The interrupted command, such as `create api`.
        command: String,
        /// Files that it had yet to restore.
        files: Vec<String>,
    },
    /// Files of it were changed since, or reverted: what it had changed by then is undone.
    Changed {
        /// The interrupted command, such as `create api`.
        command: String,
        /// Files that it had written, to be restored.
        files: Vec<String>,
    },
}

/// Completes what an interrupted command left in the project at `root`.
///
/// # Errors
/// A file was changed between the kill and now, or rop did not write the journal here: nothing is
/// done, and the message names it.
pub fn heal(root: &Path) -> Result<Option<Interrupted>> {
    heal_observed(root, &mut |_| Ok(()))
}

/// As [`heal`], telling `observer` of each step just before it.
pub fn heal_observed(root: &Path, observer: &mut Observer<'_>) -> Result<Option<Interrupted>> {
    let Some((pending, interrupted)) = look(root)? else {
        return Ok(None);
    };
    let Pending { view, folder, .. } = &pending;
    let work = Work { view, folder };
    let steps = &mut Steps(observer);
    match &pending.journal {
        None => {}
        Some((journal, Direction::Back)) => {
            if matches!(interrupted, Some(Interrupted::Changed { .. })) {
                let failed = || "failed to start undoing";
                folder.turn_back(steps).unwritable(failed)?;
            }
            undo(work, journal, steps)?;
        }
        Some((journal, Direction::Forward)) => {
            let mut disk = Disk::new(view);
            for (index, entry) in due(folder, journal) {
                apply(&mut disk, folder, index, entry, steps)?;
            }
            remove_empty_folders(view, journal, steps);
        }
    }
    folder.remove(steps)?;
    Ok(interrupted)
}

/// The project at `root` as it will be once [`heal`] has run, and what that will do.
///
/// # Errors
/// As [`heal`].
pub fn healed_view(root: &Path) -> Result<(View, Option<Interrupted>)> {
    let Some((pending, interrupted)) = look(root)? else {
        return Ok((View::of(root)?, None));
    };
    let changes = match &pending.journal {
        None => BTreeMap::new(),
        Some((journal, direction)) => pending.changes(journal, *direction)?,
    };
    let view = View::changed(pending.view.root().to_owned(), changes);
    Ok((view, interrupted))
}

/// Takes back what was put in place, last first, and removes the folders that were made for it. One
/// that somebody used meanwhile stays.
pub(super) fn undo(work: Work<'_>, journal: &Journal, steps: &mut Steps<'_>) -> Result<()> {
    for (index, entry) in journal.files.iter().enumerate().rev() {
        restore(work, index, entry, steps)?;
    }
    for created in journal.folders.iter().rev() {
        let _ = fs::remove_dir(work.view.root().join(created));
    }
    Ok(())
}

/// Removes the folders that are empty now that files in them are deleted.
pub(super) fn remove_empty_folders(view: &View, journal: &Journal, steps: &mut Steps<'_>) {
    let deleted = journal.files.iter().filter(|entry| entry.after.is_none());
    for entry in deleted {
        let folders = Path::new(&entry.path).ancestors().skip(1);
        for folder in folders.take_while(|folder| *folder != Path::new("")) {
            let folder = view.root().join(folder);
            let is_empty = fs::read_dir(&folder).is_ok_and(|mut inside| inside.next().is_none());
            // One that the disk does not give back stays: nothing of anybody's is in it.
            if is_empty && (steps.take(Step::Prune).is_err() || fs::remove_dir(&folder).is_err()) {
                break;
            }
        }
    }
}

/// What stands in the folder of a commit.
struct Pending {
    view: View,
    folder: Folder,
    journal: Option<(Journal, Direction)>,
}

/// Looks at what a command left, and whether it can be completed.
fn look(root: &Path) -> Result<Option<(Pending, Option<Interrupted>)>> {
    let view = View::of(root)?;
    let folder = Folder::of(view.root());
    if !folder.exists()? {
        return Ok(None);
    }
    let mut journal = Journal::read(&folder)?;
    let mut changed = None;
    if let Some((journal, direction @ Direction::Forward)) = &mut journal {
        changed = written_if_changed(&view, &folder, journal)?;
        if changed.is_some() {
            *direction = Direction::Back;
        }
    }
    let interrupted = match (&journal, changed) {
        // Killed at its first step or its last one.
        (None, _) if !folder.is_used()? => None,
        (None, _) => {
            folder.check()?;
            Some(Interrupted::Unstarted)
        }
        (Some((journal, _)), Some(files)) => Some(Interrupted::Changed {
            command: journal.command.clone(),
            files,
        }),
        (Some((journal, Direction::Back)), None) => Some(Interrupted::Failed {
            command: journal.command.clone(),
            files: paths(kept(&folder, journal)),
        }),
        (Some((journal, Direction::Forward)), None) => {
            check(&view, &folder, journal)?;
            Some(Interrupted::Unfinished {
                command: journal.command.clone(),
                files: paths(due(&folder, journal)),
            })
        }
    };
    let pending = Pending {
        view,
        folder,
        journal,
    };
    Ok(Some((pending, interrupted)))
}

/// The files that are still staged.
fn due<'a>(
    folder: &'a Folder,
    journal: &'a Journal,
) -> impl Iterator<Item = (usize, &'a Entry)> + 'a {
    let files = journal.files.iter().enumerate();
    files.filter(|(index, _)| folder.staged(*index).symlink_metadata().is_ok())
}

/// The files that were put in place, or may have been.
fn kept<'a>(
    folder: &'a Folder,
    journal: &'a Journal,
) -> impl Iterator<Item = (usize, &'a Entry)> + 'a {
    let files = journal.files.iter().enumerate();
    files.filter(|(index, entry)| match entry.before {
        Some(_) => folder.backup(*index).exists(),
        None => !folder.staged(*index).exists(),
    })
}

fn paths<'a>(entries: impl Iterator<Item = (usize, &'a Entry)>) -> Vec<String> {
    entries.map(|(_, entry)| entry.path.clone()).collect()
}

/// The files that were put in place, if somebody reverted one of them, as `git checkout` does, or changed one that is
/// due: what was planned no longer fits.
fn written_if_changed(
    view: &View,
    folder: &Folder,
    journal: &Journal,
) -> Result<Option<Vec<String>>> {
    let due: BTreeSet<usize> = due(folder, journal).map(|(index, _)| index).collect();
    // A command whose files are all in place is done.
    if due.is_empty() {
        return Ok(None);
    }
    let mut disk = Disk::new(view);
    let (mut is_changed, mut written) = (false, Vec::new());
    for (index, entry) in journal.files.iter().enumerate() {
        let now = match disk.look(&entry.path)? {
            FileState::Free(_) => None,
            FileState::Text(_, text) => Some(digest(&text)),
            FileState::Blocked(_) => continue,
        };
        let is_due = due.contains(&index);
        if now == entry.after {
            written.extend((!is_due).then(|| entry.path.clone()));
        } else {
            is_changed |= is_due != (now == entry.before);
        }
    }
    Ok(is_changed.then_some(written))
}

/// Whether every file that is due can be written, and its text is what was staged.
fn check(view: &View, folder: &Folder, journal: &Journal) -> Result<()> {
    let refuse = |what: String| {
        Error::new(
            Code::CannotResume,
            format!("`rop {}` was interrupted, and {what}", journal.command),
        )
    };
    let drop = format!(
        "remove `{}` to discard the rest of the command",
        folder.file("").display()
    );
    let mut disk = Disk::new(view);
    for (index, entry) in due(folder, journal) {
        let staged = folder.staged(index);
        let is_file = staged.symlink_metadata().is_ok_and(|m| m.is_file());
        let text = read_text(&staged).ok().filter(|_| is_file);
        let expected = entry.after.clone().unwrap_or_else(|| digest(""));
        if text.is_none_or(|text| digest(&text) != expected) {
            let staged = staged.display();
            return Err(refuse(format!("its staged file `{staged}` was changed since")).hint(drop));
        }
        if let FileState::Blocked(reason) = disk.look(&entry.path)? {
            return Err(refuse(format!("`{}` {reason}", entry.path)).hint(drop));
        }
    }
    Ok(())
}

impl Pending {
    /// What healing will change, by path with links resolved.
    fn changes(
        &self,
        journal: &Journal,
        direction: Direction,
    ) -> Result<BTreeMap<PathBuf, Option<String>>> {
        let read = |path: PathBuf| read_text(&path).unreadable(path.display());
        let mut disk = Disk::new(&self.view);
        let mut changes = BTreeMap::new();
        let entries: Vec<_> = match direction {
            Direction::Forward => due(&self.folder, journal).collect(),
            Direction::Back => kept(&self.folder, journal).collect(),
        };
        for (index, entry) in entries {
            let target = match (disk.look(&entry.path)?, direction) {
                (FileState::Free(target) | FileState::Text(target, _), Direction::Forward) => {
                    target
                }
                (FileState::Text(target, text), Direction::Back)
                    if Some(digest(&text)) == entry.after =>
                {
                    target
                }
                (FileState::Free(target), Direction::Back) if entry.after.is_none() => target,
                _ => continue,
            };
            let text = match (direction, &entry.before) {
                (Direction::Forward, _) if entry.after.is_none() => None,
                (Direction::Forward, _) => Some(read(self.folder.staged(index))?),
                (Direction::Back, Some(_)) => Some(read(self.folder.backup(index))?),
                (Direction::Back, None) => None,
            };
            changes.insert(target, text);
        }
        Ok(changes)
    }
}
