//! What a commit is about to do, on disk: whoever comes after a kill finishes it or drops it.
//!
//! New texts are staged in [`FOLDER`] first. The moment the journal stands beside them the commit
//! will happen; before it, nothing has. So a project is as before or as after, whatever the moment
//! of the kill, once [`heal`] has run.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::{Context, Error, Result};

/// Holds staged texts and the journal while a commit is under way, and is gone after it.
pub(crate) const FOLDER: &str = ".rop-pending";
const JOURNAL: &str = "journal.json";

/// What a commit will do.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Journal {
    /// The command that wrote it.
    pub(super) command: String,
    /// The files, in the order in which they are put in place. Each is staged under its index.
    pub(super) files: Vec<Entry>,
}

/// A file of a commit.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Where it goes, with links resolved.
    pub(super) target: PathBuf,
    /// The digest of what it held before; nothing where it was not there.
    pub(super) before: Option<String>,
}

/// What [`heal`] found and did.
#[derive(Debug, PartialEq, Eq)]
pub enum Healed {
    /// No command had been interrupted.
    Nothing,
    /// A command had been interrupted before it changed anything.
    Dropped,
    /// A command had been interrupted while it changed files, and is done now.
    Finished {
        /// The command.
        command: String,
    },
}

impl Journal {
    /// Writes the journal: from here on the commit will happen.
    pub(super) fn write(&self, root: &Path) -> Result<()> {
        let folder = root.join(FOLDER);
        let draft = folder.join("journal.draft");
        let text = serde_json::to_vec(self).context(|| "failed to write the journal")?;
        fs::write(&draft, text)
            .and_then(|()| fs::rename(&draft, folder.join(JOURNAL)))
            .context(|| format!("failed to write to `{}`", folder.display()))
    }
}

/// Where the text of the file with this index is staged.
pub(super) fn staged(root: &Path, index: usize) -> PathBuf {
    root.join(FOLDER).join(index.to_string())
}

/// Removes the folder, journal first: without one, the rest is waste.
pub(super) fn remove(root: &Path) -> Result<()> {
    let folder = root.join(FOLDER);
    let gone = |result: std::io::Result<()>| match result {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    };
    gone(fs::remove_file(folder.join(JOURNAL)))
        .and_then(|()| gone(fs::remove_dir_all(&folder)))
        .context(|| format!("failed to remove `{}`", folder.display()))
}

/// The digest of a file's text.
pub(super) fn digest(text: &str) -> String {
    format!("{:x?}", Sha256::digest(text))
}

/// The digest of what stands at a path now; nothing where there is no file.
fn digest_at(path: &Path) -> Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(digest(&text))),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e).context(|| format!("failed to read `{}`", path.display())),
    }
}

/// Finishes or drops what an interrupted command left in the project at `root`.
///
/// # Errors
/// A file was changed between the kill and now: nothing is done, and the message names it.
pub fn heal(root: &Path) -> Result<Healed> {
    let folder = root.join(FOLDER);
    let text = match fs::read(folder.join(JOURNAL)) {
        Ok(text) => text,
        Err(_) if folder.is_dir() => {
            remove(root)?;
            return Ok(Healed::Dropped);
        }
        Err(_) => return Ok(Healed::Nothing),
    };
    let journal: Journal = serde_json::from_slice(&text)
        .context(|| format!("malformed `{}`", folder.join(JOURNAL).display()))?;
    let due: Vec<(usize, &Entry)> = journal
        .files
        .iter()
        .enumerate()
        .filter(|(index, _)| staged(root, *index).exists())
        .collect();
    for (_, entry) in &due {
        if digest_at(&entry.target)? != entry.before {
            return Err(Error::new(format!(
                "`rop {}` was interrupted, and `{}` was changed since",
                journal.command,
                entry.target.display()
            ))
            .hint(format!(
                "undo that change, or remove `{}` to drop the rest of the command",
                folder.display()
            )));
        }
    }
    for (index, entry) in due {
        let folder = entry.target.parent().unwrap_or(root);
        fs::create_dir_all(folder)
            .context(|| format!("failed to create `{}`", folder.display()))?;
        put(root, index, &entry.target)?;
    }
    remove(root)?;
    Ok(Healed::Finished {
        command: journal.command,
    })
}

/// Puts a staged file in its place, whose folder is there.
pub(super) fn put(root: &Path, index: usize, target: &Path) -> Result<()> {
    fs::rename(staged(root, index), target)
        .context(|| format!("failed to write `{}`", target.display()))
}
