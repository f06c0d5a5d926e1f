//! What a commit is about to do, on disk: whoever comes after a kill finishes it, undoes it or drops
//! it.
//!
//! New texts are staged in the folder first. The moment the journal stands beside them the commit
//! will happen; before it, nothing has. If the disk then refuses a file, the journal is renamed, and
//! from that moment on the commit will be undone. So a project is as before or as after, whatever
//! the moment of the kill, once [`heal`](super::heal()) has run.
//!
//! A journal can come with a clone or a copy of a project. So it counts only in the folder that it was
//! written in, by an identity that no program can give to another folder, and its paths lead neither
//! outside nor into what other programs run.

use std::fs;
use std::io::ErrorKind;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::disk::read;
use crate::error::{Code, Context, Error, Result};
use crate::hex::hex;

use super::pending::{Folder, JOURNAL, UNDO};
use super::place::is_inside;
use super::step::Steps;

/// What a commit will do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Journal {
    /// The folder that it was written in: [`Folder::identity`]. Empty if it has none.
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
        let place = folder
            .identity()
            .unwritable(|| "failed to identify the directory of the commit")?;
        Ok(Self {
            place: place.unwrap_or_default(),
            command: command.to_owned(),
            folders: Vec::new(),
            files: Vec::new(),
        })
    }

    /// Writes the journal: from here on the commit will happen.
    pub(super) fn write(&self, folder: &Folder, steps: &mut Steps<'_>) -> Result<()> {
        let text = serde_json::to_vec(self)
            .context(Code::GenerationFailed, || "failed to write the journal")?;
        folder.write_journal(&text, steps)
    }

    /// Reads the journal in a folder, if there is one.
    ///
    /// # Errors
    /// It cannot be read, or is not one that rop wrote in this folder.
    pub(super) fn read(folder: &Folder) -> Result<Option<(Self, Direction)>> {
        for (name, direction) in [(UNDO, Direction::Back), (JOURNAL, Direction::Forward)] {
            let path = folder.file(name);
            let text = match fs::symlink_metadata(&path).and_then(|_| read(&path)) {
                Err(e) if e.kind() == ErrorKind::NotFound => continue,
                text => text.unreadable(path.display()),
            };
            let journal = text
                .and_then(|text| {
                    let unusable = || format!("cannot use `{}`", path.display());
                    Self::parse(&text, folder).map_err(|error| error.context(unusable()))
                })
                .map_err(|error| error.hint(folder.way_out()))?;
            return Ok(Some((journal, direction)));
        }
        Ok(None)
    }

    fn parse(text: &[u8], folder: &Folder) -> Result<Self> {
        let journal: Self =
            serde_json::from_slice(text).context(Code::CannotResume, || "it is malformed")?;
        if journal.place.is_empty() {
            return Err(Error::new(
                Code::CannotResume,
                "cannot verify that rop wrote it here: the file system stores times in whole \
                seconds",
            ));
        }
        let here = folder
            .identity()
            .context(Code::CannotResume, || "failed to identify it")?;
        if here.is_none_or(|here| here != journal.place) {
            return Err(Error::new(Code::CannotResume, "rop did not write it here"));
        }
        let paths = journal.files.iter().map(|entry| &entry.path);
        match paths.chain(&journal.folders).find(|path| !is_inside(path)) {
            Some(path) => Err(Error::new(
                Code::CannotResume,
                format!("`{path}` in it is not a path in the project"),
            )),
            None => Ok(journal),
        }
    }
}

/// The digest of a file's text.
pub(crate) fn digest(text: &str) -> String {
    hex(&Sha256::digest(text))
}
