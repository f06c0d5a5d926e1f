//! Where a catalog or a bundle is: in a project, below the current directory, or anywhere. A path that somebody typed
//! starts where they are, also in a folder of a project; the folder of a flag that they left out is the project's.

use std::path::{Path, PathBuf};

use crate::disk::{View, without_dots};
use crate::error::{Code, Error, Result};
use crate::project;

use crate::cli::invocation::working_directory;

/// The folder that a user named, or else the project's folder of a name; outside of projects, the current directory's.
///
/// # Errors
/// The project cannot be read, or its folder is a link that leads out of it: others may have made it.
pub(in crate::cli) fn named_or_of_project(named: Option<&Path>, name: &str) -> Result<PathBuf> {
    if let Some(named) = named {
        return Ok(named.to_owned());
    }
    let here = working_directory()?;
    let project = project_around(&here)?;
    View::of(project.as_deref().unwrap_or(&here))?.own(name)?;
    let project = project.filter(|project| *project != here);
    Ok(project.unwrap_or_default().join(name))
}

/// The project that a directory is in, if it is in one.
///
/// # Errors
/// Another user made the project.
pub(in crate::cli) fn project_around(directory: &Path) -> Result<Option<PathBuf>> {
    match project::find(directory) {
        Ok(found) => Ok(Some(found.path)),
        Err(error) if error.code() == Code::NoProject => Ok(None),
        Err(error) => Err(error),
    }
}

/// The path in a project of what a user named, with `/` between its parts. None if it is not in the project.
///
/// # Errors
/// The current directory cannot be found.
pub(in crate::cli) fn in_project(root: &Path, named: &Path) -> Result<Option<String>> {
    let full = without_dots(&working_directory()?.join(named));
    let inside = full.strip_prefix(root).ok();
    let parts = inside.and_then(|path| path.iter().map(|part| part.to_str()).collect());
    Ok(parts.map(|parts: Vec<_>| parts.join("/")))
}

/// A folder, in the directory that rop works in.
pub(in crate::cli) struct Place {
    /// The project, the current directory, or the directory that has the folder.
    pub(in crate::cli) root: PathBuf,
    /// The folder in it, with `/` between its parts.
    pub(in crate::cli) folder: String,
}

impl Place {
    /// Finds the place of a folder, which need not exist.
    ///
    /// # Errors
    /// Its path is not UTF-8, or another user made the project.
    pub(in crate::cli) fn find(folder: &Path) -> Result<Self> {
        let here = working_directory()?;
        let full = View::of(&here.join(folder))?.root().to_owned();
        let roots = project_around(&here)?
            .into_iter()
            .chain([here])
            .filter_map(|root| root.canonicalize().ok());
        let mut around = roots.filter(|root| full.starts_with(root) && full != *root);
        let root = around
            .next()
            .or_else(|| full.parent().map(Path::to_owned))
            .ok_or_else(|| {
                Error::new(
                    Code::InvalidDirectory,
                    "the root of the file system cannot be a catalog or a bundle",
                )
                .hint("name a directory")
            })?;
        let inside = full.strip_prefix(&root).unwrap_or(&full);
        let parts: Option<Vec<_>> = inside.iter().map(|part| part.to_str()).collect();
        let parts = parts.ok_or_else(|| {
            let path = full.display();
            Error::new(Code::PathNotUtf8, format!("the path `{path}` is not UTF-8"))
                .hint("rename the directory")
        })?;
        let folder = parts.join("/");
        Ok(Self { root, folder })
    }
}
