//! Where a bundle may be.

use crate::disk::View;
use crate::error::{Code, Error, Result};

use super::{MANIFESTS, SUFFIX};

/// Checks that a folder is empty or has a bundle: in another one, files of the project would count as the bundle's.
///
/// # Errors
/// It has files and no bundle, or cannot be read.
pub fn check_place(view: &View, folder: &str) -> Result<()> {
    let files = view.own_files_in(folder)?;
    let manifests = format!("{folder}/{MANIFESTS}/");
    let is_csv = |path: &str| {
        let name = path.strip_prefix(&manifests);
        name.is_some_and(|name| name.ends_with(SUFFIX) && !name.contains('/'))
    };
    let annotations = format!("{folder}/metadata/annotations.yaml");
    if files.is_empty()
        || files
            .iter()
            .any(|path| *path == annotations || is_csv(path))
    {
        return Ok(());
    }
    let message = format!("the folder `{folder}` has files, but no bundle");
    Err(Error::new(Code::FilesInTheWay, message).hint("choose a new folder with `--output`"))
}
