//! What a commit is about to do, on disk: whoever comes after a kill finishes it, undoes it or drops
//! it.
//!
//! New texts are staged in the folder first. The moment the journal stands beside them the commit
//! will happen; before it, nothing has. If the disk then refuses a file, the journal is renamed, and
//! from that moment on the commit will be undone. So a project is as before or as after, whatever
//! the moment of the kill, once [`heal`](super::heal()) has run.
//!
//! A journal can come with a clone or a copy of a project. So its paths are relative, lead nowhere
//! outside, and hold only in the folder that it was written in.

use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::{Context, Error, Result};
use crate::hex::hex;

use super::pending::{Folder, JOURNAL, UNDO, is_folder};
use super::step::Steps;

/// What a commit will do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Journal {
    /// The folder that it was written in: [`Folder::identity`].
    place: String,
    /// The command that wrote it.
    pub(super) command: String,
    /// Folders that are made for the files, outermost first.
    pub(super) folders: Vec<String>,
    /// The files, in the order in which they are put in place. Each is staged under its index.
    pub(super) files: Vec<Entry>,
}

/// A file of a commit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Where it goes, relative to the project and with `/` between its parts.
    pub(super) path: String,
    /// The digest of what it held before; nothing if it did not exist.
    pub(super) before: Option<String>,
    /// The digest of what it will hold; nothing if it is deleted.
    pub(super) after: Option<String>,
}

/// Where a commit goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// Every file will be put in its place.
    Forward,
    /// Every file that was put in its place will be what it was.
    Back,
}

impl Journal {
    /// The journal of a commit in a folder.
    pub(super) fn new(folder: &Folder, command: &str) -> Result<Self> {
        let place = folder.identity();
        Ok(Self {
            place: place.context(|| "failed to identify the directory of the commit")?,
            command: command.to_owned(),
            folders: Vec::new(),
            files: Vec::new(),
        })
    }

    /// Writes the journal: from here on the commit will happen.
    pub(super) fn write(&self, folder: &Folder, steps: &mut Steps<'_>) -> Result<()> {
        let text = serde_json::to_vec(self).context(|| "failed to write the journal")?;
        folder.write_journal(&text, steps)
    }

    /// Reads the journal in a folder, if there is one.
    ///
    /// # Errors
    /// It cannot be read, or is not one that rop wrote in this folder.
    pub(super) fn read(folder: &Folder) -> Result<Option<(Self, Direction)>> {
        for (name, direction) in [(UNDO, Direction::Back), (JOURNAL, Direction::Forward)] {
            let path = folder.file(name);
            let text = match fs::symlink_metadata(&path).and_then(|_| fs::read(&path)) {
                Err(e) if e.kind() == ErrorKind::NotFound => continue,
                text => text.context(|| format!("failed to read `{}`", path.display()))?,
            };
            let journal = Self::parse(&text, folder).map_err(|error| {
                let error = error.context(format!("cannot use `{}`", path.display()));
                error.hint(format!(
                    "remove `{}` if no rop command was interrupted here, for example if it came with a clone or a copy; then see what `git status` shows",
                    path.parent().unwrap_or(&path).display()
                ))
            })?;
            return Ok(Some((journal, direction)));
        }
        Ok(None)
    }

    fn parse(text: &[u8], folder: &Folder) -> Result<Self> {
        let journal: Self = serde_json::from_slice(text).context(|| "it is malformed")?;
        let here = folder.identity().context(|| "failed to identify it")?;
        if journal.place != here {
            return Err(Error::new("rop wrote it for another directory"));
        }
        let paths = journal.files.iter().map(|entry| &entry.path);
        match paths.chain(&journal.folders).find(|path| !is_inside(path)) {
            Some(path) => Err(Error::new(format!(
                "`{path}` in it is not the path of a project's file"
            ))),
            None => Ok(journal),
        }
    }
}

/// Whether a path is one that rop would write: below the project, and nothing of git's or of its
/// own.
pub(super) fn is_inside(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    let is_named = |part: Component<'_>| match part {
        Component::Normal(name) => !(is_folder(name) || name.eq_ignore_ascii_case(".git")),
        _ => false,
    };
    !path.is_empty() && !path.contains(['\\', '\0']) && parts.all(is_named)
}

/// The digest of a file's text.
pub(super) fn digest(text: &str) -> String {
    hex(&Sha256::digest(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_project_are_written() {
        for good in [
            "a",
            "src/main.rs",
            ".github/workflows/ci.yml",
            "..a",
            ".gitignore",
        ] {
            assert!(is_inside(good), "{good}");
        }
        for bad in [
            "",
            "/etc/passwd",
            "..",
            "../a",
            "a/../../b",
            "a/..",
            ".git/hooks/pre-commit",
            "sub/.GIT/config",
            ".rop-pending/0",
            "a\\..\\b",
        ] {
            assert!(!is_inside(bad), "{bad}");
        }
    }
}
