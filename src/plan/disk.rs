//! Where a path of a tree is on disk, and whether rop may write there.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::error::{Code, Context, Result};

use crate::disk::{View, read};

use super::decision::{BEHIND, BELOW};
use super::place;

/// What stands at a path.
#[derive(Debug)]
pub(super) enum FileState {
    /// Nothing.
    Free(PathBuf),
    /// A text file. The path has its links resolved.
    Text(PathBuf, String),
    /// Something that rop will not touch, and why.
    Blocked(String),
}

/// The directory of a project, as it is found. Each folder in it is looked at once.
pub(super) struct Disk<'a> {
    view: &'a View,
    folders: HashMap<PathBuf, Folder>,
}

/// What stands where a folder is wanted. Paths have their links resolved.
#[derive(Clone, Debug)]
enum Folder {
    There(PathBuf),
    Missing(PathBuf),
    Blocked(String),
}

impl<'a> Disk<'a> {
    pub(super) fn new(view: &'a View) -> Self {
        Self {
            view,
            folders: HashMap::new(),
        }
    }

    /// The files that are looked at.
    pub(super) fn view(&self) -> &'a View {
        self.view
    }

    /// Looks at `path` below the root. A link is followed where it stays in the project, so that
    /// it is still one afterwards.
    pub(super) fn look(&mut self, path: &str) -> Result<FileState> {
        let path = Path::new(path);
        let failed = || format!("failed to read `{}`", path.display());
        let name = path.file_name().unwrap_or_default();
        let parent = path.parent().unwrap_or(Path::new(""));
        let target = match self.folder(parent).context(Code::UnreadableFile, failed)? {
            Folder::There(folder) => folder.join(name),
            Folder::Missing(folder) => {
                let target = folder.join(name);
                return Ok(match self.refusal(path, &target) {
                    Some(reason) => FileState::Blocked(reason),
                    None => self.changed(target),
                });
            }
            Folder::Blocked(reason) => return Ok(FileState::Blocked(reason)),
        };
        let (target, is_there) = match self
            .resolve(&target)
            .context(Code::UnreadableFile, failed)?
        {
            Resolved::Nothing => (target, false),
            Resolved::Refused(reason) => return Ok(FileState::Blocked(reason)),
            Resolved::Folder(_) => return Ok(FileState::Blocked("is a directory".into())),
            Resolved::File(target) => (target, true),
        };
        if let Some(reason) = self.refusal(path, &target) {
            return Ok(FileState::Blocked(reason));
        }
        if !is_there {
            return Ok(self.changed(target));
        }
        if self.view.change(&target).is_some() {
            return Ok(self.changed(target));
        }
        let bytes = read(&target).unreadable(path.display())?;
        Ok(match String::from_utf8(bytes) {
            Ok(text) => FileState::Text(target, text),
            Err(_) => FileState::Blocked("is not UTF-8 text".into()),
        })
    }

    /// What is known of a file of the project, if it is one that no link leads to.
    pub(super) fn own_file(&mut self, path: &Path) -> Option<Metadata> {
        let Ok(Folder::There(folder)) = self.folder(path.parent()?) else {
            return None;
        };
        let target = folder.join(path.file_name()?);
        let is_own = target == self.view.root().join(path) && self.view.change(&target).is_none();
        let metadata = fs::symlink_metadata(target).ok().filter(Metadata::is_file);
        metadata.filter(|_| is_own)
    }

    /// What is to be said of a file that is overwritten, if it is behind a link.
    pub(super) fn link_note(&self, path: &str) -> Option<String> {
        let target = self.view.own(path).ok();
        let target = target.filter(|_| self.view.is_linked(path))?;
        let target = target.strip_prefix(self.view.root()).ok()?;
        let target = target.display();
        Some(format!(
            "`{path}` is behind a link: `--force` overwrites `{target}`"
        ))
    }

    /// Why rop does not write at `target`, to which the links at `path` lead.
    fn refusal(&self, path: &Path, target: &Path) -> Option<String> {
        place::refusal(path, target.strip_prefix(self.view.root()).ok()?)
    }

    /// A path where the disk has nothing, or something else than it will have.
    fn changed(&self, target: PathBuf) -> FileState {
        match self.view.change(&target) {
            Some(Some(text)) => FileState::Text(target, text.clone()),
            _ => FileState::Free(target),
        }
    }

    /// The folder at a path below the root.
    fn folder(&mut self, path: &Path) -> io::Result<Folder> {
        if let Some(known) = self.folders.get(path) {
            return Ok(known.clone());
        }
        let here = match path.parent() {
            None => self.view.root().to_owned(),
            Some(parent) => match self.folder(parent)? {
                Folder::There(folder) => folder.join(path.file_name().unwrap_or_default()),
                Folder::Missing(folder) => {
                    return Ok(Folder::Missing(
                        folder.join(path.file_name().unwrap_or_default()),
                    ));
                }
                blocked @ Folder::Blocked(_) => return Ok(blocked),
            },
        };
        let folder = match self.resolve(&here)? {
            Resolved::Nothing => Folder::Missing(here),
            Resolved::Folder(folder) => Folder::There(folder),
            Resolved::File(_) => {
                let file = here.strip_prefix(self.view.root()).unwrap_or(&here);
                Folder::Blocked(format!("{BELOW}`{}`, which is a file", file.display()))
            }
            Resolved::Refused(reason) => Folder::Blocked(reason),
        };
        self.folders.insert(path.to_owned(), folder.clone());
        Ok(folder)
    }

    /// What is at a path whose folder has its links resolved.
    fn resolve(&self, path: &Path) -> io::Result<Resolved> {
        let metadata = match fs::symlink_metadata(path) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Resolved::Nothing),
            metadata => metadata?,
        };
        if metadata.is_dir() {
            return Ok(Resolved::Folder(path.to_owned()));
        }
        if !metadata.is_symlink() {
            return Ok(Resolved::File(path.to_owned()));
        }
        let target = match path.canonicalize() {
            Err(e) if e.kind() == ErrorKind::NotFound => {
                return Ok(Resolved::Refused("is a dangling link".into()));
            }
            target => target?,
        };
        if !target.starts_with(self.view.root()) {
            let link = path.strip_prefix(self.view.root()).unwrap_or(path);
            return Ok(Resolved::Refused(format!(
                "{BEHIND} `{}`, which points out of the project, to `{}`",
                link.display(),
                target.display()
            )));
        }
        Ok(if target.is_dir() {
            Resolved::Folder(target)
        } else {
            Resolved::File(target)
        })
    }
}

/// What is at a path. Paths have their links resolved.
enum Resolved {
    Nothing,
    File(PathBuf),
    Folder(PathBuf),
    Refused(String),
}
