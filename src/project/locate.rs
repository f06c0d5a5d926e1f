use std::path::{Path, PathBuf};

use crate::disk::{PENDING, View};
use crate::error::{Error, Result};

use super::{FILE_NAME, Project};

/// A directory that holds a project, whose PROJECT has not been read yet.
#[derive(Debug)]
pub struct Found {
    /// The directory.
    pub path: PathBuf,
}

/// A project on disk.
#[derive(Debug)]
pub struct Root {
    /// The directory that holds PROJECT.
    pub path: PathBuf,
    /// What PROJECT says.
    pub project: Project,
}

/// Finds the project that holds `start`, as cargo does: PROJECT in it or in a directory above.
///
/// # Errors
/// There is none.
pub fn find(start: &Path) -> Result<Found> {
    start
        .ancestors()
        .find(|dir| dir.join(FILE_NAME).is_file() || dir.join(PENDING).is_dir())
        .map(|dir| Found {
            path: dir.to_owned(),
        })
        .ok_or_else(|| no_project(start))
}

fn no_project(start: &Path) -> Error {
    Error::new(format!(
        "no {FILE_NAME} file in `{}` or any directory above it",
        start.display()
    ))
    .hint("start a project here with `rop init --domain example.com`, or change into one")
}

impl Found {
    /// Reads PROJECT.
    ///
    /// # Errors
    /// As [`Project::parse`].
    pub fn read(self, view: &View) -> Result<Root> {
        let text = view
            .read(FILE_NAME)?
            .ok_or_else(|| no_project(&self.path))?;
        Ok(Root {
            path: self.path,
            project: Project::parse(&text)?,
        })
    }
}
