//! The folder that holds the texts and the journal of a commit while it is under way.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::disk::PENDING;
use crate::error::{Code, Context, Error, Result};

use super::step::{Step, Steps};

/// What the commit does, from the moment that it will happen.
pub(super) const JOURNAL: &str = "journal.json";
/// The same, from the moment that it will be undone.
pub(super) const UNDO: &str = "undo.json";
const DRAFT: &str = "journal.draft";
/// Keeps git from committing what is here to work on one machine only, and identifies the folder.
const IGNORE: &str = ".gitignore";
const BACKUP: &str = "before";

/// The folder of a project.
#[derive(Clone, Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    /// The folder of the project at `root`, which need not exist.
    pub(super) fn of(root: &Path) -> Self {
        Self(root.join(PENDING))
    }

    /// Makes the folder, in which nothing is yet.
    pub(super) fn create(&self, steps: &mut Steps<'_>) -> Result<()> {
        let failed = || format!("failed to create `{}`", self.0.display());
        steps
            .take(Step::Prepare)
            .and_then(|()| fs::create_dir(&self.0))
            .unwritable(failed)?;
        fs::write(self.0.join(IGNORE), "*\n").map_err(|e| {
            let _ = self.remove(steps);
            Error::new(Code::UnwritableFile, e).context(failed())
        })
    }

    /// Whether it is there.
    ///
    /// # Errors
    /// Something else has its name: a link could lead anywhere.
    pub(super) fn exists(&self) -> Result<bool> {
        match fs::symlink_metadata(&self.0) {
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(false),
            Err(e) => Err(e).unreadable(self.0.display()),
            Ok(metadata) if metadata.is_dir() => Ok(true),
            Ok(_) => Err(Error::new(
                Code::FilesInTheWay,
                format!("`{}` is not a directory", self.0.display()),
            )
            .hint("remove it: rop needs this path for a directory")),
        }
    }

    /// Whether a commit has put anything into it.
    pub(super) fn is_used(&self) -> Result<bool> {
        Ok(self.names()?.iter().any(|name| name != IGNORE))
    }

    /// Fails if no commit put what is there into it: each creates [`IGNORE`] first and removes it last.
    ///
    /// # Errors
    /// Something in the folder is not rop's.
    pub(super) fn check(&self) -> Result<()> {
        let names = self.names()?;
        self.check_names(&names)?;
        if names.iter().any(|name| name == IGNORE) {
            return Ok(());
        }
        let message = format!(
            "rop did not create `{}`: it has no `{IGNORE}`",
            self.0.display()
        );
        Err(Error::new(Code::CannotResume, message).hint(self.way_out()))
    }

    fn check_names(&self, names: &[String]) -> Result<()> {
        let Some(name) = names.iter().find(|name| !is_known(name)) else {
            return Ok(());
        };
        let folder = self.0.display();
        let message = format!("`{name}` in `{folder}` was not created by rop");
        let error = Error::new(Code::FilesInTheWay, message);
        Err(error.hint(format!("move `{name}` elsewhere, or remove the directory")))
    }

    /// Identifies the folder, if its file system can: a copy of it, or the same in a clone, has
    /// another identity, and what a clone or an archive brings cannot know it.
    ///
    /// It is the moment at which the kernel last changed the file [`IGNORE`], to the nanosecond, which
    /// no program can set. A moved project keeps it.
    #[cfg(unix)]
    pub(super) fn identity(&self) -> io::Result<Option<String>> {
        use std::os::unix::fs::MetadataExt;
        let mark = match fs::symlink_metadata(self.0.join(IGNORE)) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            mark => mark?,
        };
        // Whole seconds can be guessed.
        let is_exact = mark.is_file() && mark.ctime_nsec() != 0;
        let identity = || format!("{}:{}.{:09}", mark.ino(), mark.ctime(), mark.ctime_nsec());
        Ok(is_exact.then(identity))
    }

    /// Identifies the folder by its path and the moment at which it was made.
    #[cfg(not(unix))]
    pub(super) fn identity(&self) -> io::Result<Option<String>> {
        let created = fs::symlink_metadata(&self.0)?.created()?;
        let path = self.0.canonicalize()?;
        Ok(Some(format!("{}:{created:?}", path.display())))
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Where the text of the file with this index is staged.
    pub(super) fn staged(&self, index: usize) -> PathBuf {
        self.0.join(index.to_string())
    }

    /// Where what the file with this index held before is kept.
    pub(super) fn backup(&self, index: usize) -> PathBuf {
        self.0.join(format!("{index}.{BACKUP}"))
    }

    /// Writes the journal, all of it or nothing.
    pub(super) fn write_journal(&self, text: &[u8], steps: &mut Steps<'_>) -> Result<()> {
        let draft = self.0.join(DRAFT);
        steps
            .take(Step::Journal)
            .and_then(|()| fs::write(&draft, text))
            .and_then(|()| fs::rename(&draft, self.file(JOURNAL)))
            .unwritable(|| format!("failed to write `{}`", self.file(JOURNAL).display()))
    }

    /// Turns the commit back: from here on it will be undone.
    pub(super) fn turn_back(&self, steps: &mut Steps<'_>) -> io::Result<()> {
        steps.take(Step::TurnBack)?;
        fs::rename(self.file(JOURNAL), self.file(UNDO))
    }

    /// Removes the folder. The journal goes after all texts, and what identifies it after that: what a
    /// kill leaves before then is still known to be of a commit that is done.
    ///
    /// # Errors
    /// The disk refuses, or something in the folder is not rop's.
    pub(super) fn remove(&self, steps: &mut Steps<'_>) -> Result<()> {
        let failed = || format!("failed to remove `{}`", self.0.display());
        let names = self.names()?;
        self.check_names(&names)
            .map_err(|error| error.context(failed()))?;
        let last = [JOURNAL, UNDO, IGNORE];
        let rest = names.iter().filter(|name| !last.contains(&&***name));
        for name in rest.map(String::as_str).chain(last) {
            steps.take(Step::CleanUp).unwritable(failed)?;
            let removed = ignore_missing(fs::remove_file(self.0.join(name))).unwritable(failed);
            removed.map_err(|error| error.hint(self.way_out()))?;
        }
        ignore_missing(fs::remove_dir(&self.0)).unwritable(failed)
    }

    /// What to do about a folder that rop cannot have left so.
    pub(super) fn way_out(&self) -> String {
        format!(
            "remove `{}` if no rop command was interrupted here, for example after a clone or \
            copy; then check `git status`",
            self.0.display()
        )
    }

    fn names(&self) -> Result<Vec<String>> {
        let folder = self.0.display();
        let entries = fs::read_dir(&self.0).unreadable(&folder)?;
        let name = |entry: io::Result<fs::DirEntry>| {
            Ok(entry
                .unreadable(&folder)?
                .file_name()
                .to_string_lossy()
                .into())
        };
        entries.map(name).collect()
    }
}

/// Whether a file is one that a commit makes.
fn is_known(name: &str) -> bool {
    let is_index = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let stem = name.strip_suffix(BACKUP).and_then(|s| s.strip_suffix('.'));
    [JOURNAL, UNDO, DRAFT, IGNORE].contains(&name) || is_index(stem.unwrap_or(name))
}

/// Whether a name is this folder's, where the file system may not tell cases apart.
pub(super) fn is_folder(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case(PENDING)
}

/// A removal of what may be gone already.
pub(super) fn ignore_missing(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}
