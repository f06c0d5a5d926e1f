//! Where a catalog or a bundle is: in a project, below the current directory, or anywhere.

use std::path::{Path, PathBuf};

use crate::disk::View;
use crate::error::{Code, Error, Result};
use crate::project;

use crate::cli::invocation::working_directory;

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
        let project = match project::find(&here) {
            Ok(found) => Some(found.path),
            Err(error) if error.code() == Code::NoProject => None,
            Err(error) => return Err(error),
        };
        let roots = project
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
                .hint("name a folder")
            })?;
        let inside = full.strip_prefix(&root).unwrap_or(&full);
        let parts: Option<Vec<_>> = inside.iter().map(|part| part.to_str()).collect();
        let parts = parts.ok_or_else(|| {
            let path = full.display();
            Error::new(Code::PathNotUtf8, format!("the path `{path}` is not UTF-8"))
                .hint("rename the folder")
        })?;
        let folder = parts.join("/");
        Ok(Self { root, folder })
    }
}
