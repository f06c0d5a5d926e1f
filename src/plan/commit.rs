//! Carries out a plan: all of it or nothing.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Context, Error, Result};

use super::journal::{self, Entry, FOLDER, Journal};
use super::place::{Place, Site};
use super::{Change, Plan};

/// A moment of a commit: the next thing that it does to the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Make the folder that texts are staged in.
    Prepare,
    /// Stage a text.
    Stage,
    /// Write the journal.
    Journal,
    /// Put a staged text in its place.
    Put,
    /// Remove the folder.
    CleanUp,
}

/// Writes what `plan` says below `root`, as the work of `command`.
///
/// # Errors
/// The disk refused something, or a file changed since the plan was made. The project is as it was.
pub fn commit(root: &Path, command: &str, plan: &Plan) -> Result<()> {
    commit_observed(root, command, plan, &mut |_| {})
}

/// As [`commit`], telling `observe` of each step just before it.
pub fn commit_observed(
    root: &Path,
    command: &str,
    plan: &Plan,
    observe: &mut dyn FnMut(Step),
) -> Result<()> {
    if plan.is_empty() {
        return Ok(());
    }
    let mut undo = Undo::default();
    let result = write(root, command, &plan.changes, &mut undo, observe);
    match result {
        Ok(()) => Ok(()),
        Err(error) => {
            let undone = undo
                .run()
                .context(|| "failed to undo what had been written");
            let removed = journal::remove(root);
            undo.remove_folders();
            undone.and(removed).map_err(|undo| {
                let first = error.chain().collect::<Vec<_>>().join(": ");
                undo.context(format!("failed half-way ({first})"))
            })?;
            Err(error.context("nothing was written"))
        }
    }
}

fn write(
    root: &Path,
    command: &str,
    changes: &[Change],
    undo: &mut Undo,
    observe: &mut dyn FnMut(Step),
) -> Result<()> {
    observe(Step::Prepare);
    undo.create_folders(&root.join(FOLDER))?;
    let mut journal = Journal {
        command: command.to_owned(),
        files: Vec::with_capacity(changes.len()),
    };
    let mut site = Site::new(root);
    for (index, change) in changes.iter().enumerate() {
        observe(Step::Stage);
        journal.files.push(stage(root, &mut site, index, change)?);
    }
    observe(Step::Journal);
    journal.write(root)?;
    for (index, entry) in journal.files.iter().enumerate() {
        observe(Step::Put);
        undo.remember(root, index, entry)?;
        journal::put(root, index, &entry.target)?;
    }
    observe(Step::CleanUp);
    journal::remove(root)
}

/// Writes a text into the folder, with the permissions that the file is to have.
fn stage(root: &Path, site: &mut Site<'_>, index: usize, change: &Change) -> Result<Entry> {
    let staged = journal::staged(root, index);
    let failed = || format!("failed to stage `{}`", change.path);
    let changed = || Error::new(format!("`{}` changed while rop was at work", change.path));
    fs::write(&staged, &change.after).context(failed)?;
    let target = match (site.look(&change.path)?, &change.before) {
        (Place::Free(target), None) => target,
        (Place::Text(target, text), Some(before)) if text == *before => {
            let permissions = fs::metadata(&target).context(failed)?.permissions();
            fs::set_permissions(&staged, permissions).context(failed)?;
            target
        }
        _ => return Err(changed().hint("run the command again")),
    };
    if change.before.is_none() && change.after.starts_with("#!") {
        make_executable(&staged).context(failed)?;
    }
    Ok(Entry {
        before: change.before.as_deref().map(journal::digest),
        target,
    })
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

/// What brings the project back to what it was, where the disk refuses a step.
#[derive(Default)]
struct Undo {
    /// Folders that were made, outermost first.
    folders: Vec<PathBuf>,
    /// Files that were put in place, each with a second name of what was there before.
    files: Vec<(PathBuf, Option<PathBuf>)>,
}

impl Undo {
    /// Makes a folder, and notes which of those above it had to be made too.
    fn create_folders(&mut self, folder: &Path) -> Result<()> {
        let missing: Vec<PathBuf> = folder
            .ancestors()
            .take_while(|ancestor| !ancestor.exists())
            .map(Path::to_owned)
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        self.folders.extend(missing.into_iter().rev());
        fs::create_dir_all(folder).context(|| format!("failed to create `{}`", folder.display()))
    }

    /// Notes how to undo what is done next: putting a staged file in place.
    fn remember(&mut self, root: &Path, index: usize, entry: &Entry) -> Result<()> {
        if let Some(parent) = entry.target.parent() {
            self.create_folders(parent)?;
        }
        let backup = if entry.before.is_none() {
            None
        } else {
            let backup = journal::staged(root, index).with_extension("before");
            // A file system without hard links gets a copy.
            fs::hard_link(&entry.target, &backup)
                .or_else(|_| fs::copy(&entry.target, &backup).map(drop))
                .context(|| format!("failed to keep a copy of `{}`", entry.target.display()))?;
            Some(backup)
        };
        self.files.push((entry.target.clone(), backup));
        Ok(())
    }

    /// Puts the files back.
    fn run(&mut self) -> io::Result<()> {
        for (target, backup) in self.files.drain(..).rev() {
            match backup {
                Some(backup) => fs::rename(backup, target)?,
                None if target.exists() => fs::remove_file(target)?,
                None => {}
            }
        }
        Ok(())
    }

    /// Removes the folders that were made. One that somebody used meanwhile stays.
    fn remove_folders(&mut self) {
        for folder in self.folders.drain(..).rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}
