//! Where a bundle may be.

use crate::disk::View;
use crate::error::{Code, Error, Result};

use super::{MANIFESTS, SUFFIX};

/// Checks that a folder is empty or has a bundle: in another one, files of the project would count as the bundle's.
///
/// # Errors
/// It is a file or below one, has files and no bundle, or cannot be read.
pub fn check_place(view: &View, folder: &str) -> Result<()> {
    if let Some(file) = above(folder).find(|path| view.is_file(path)) {
        let message = format!("`{file}` is a file, not a folder");
        return Err(
            Error::new(Code::FilesInTheWay, message).hint("choose a folder with `--output`")
        );
    }
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

/// A folder, and those around it in the project.
fn above(folder: &str) -> impl Iterator<Item = &str> {
    let ends = folder.match_indices('/').map(|(end, _)| end);
    ends.chain([folder.len()]).map(|end| &folder[..end])
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_file_is_no_place() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let view = View::of(root).expect("a folder");
        for folder in ["Cargo.toml", "Cargo.toml/bundle"] {
            let error = check_place(&view, folder).expect_err(folder);
            let message = error.chain().next();
            assert_eq!(
                message.as_deref(),
                Some("`Cargo.toml` is a file, not a folder")
            );
        }
        assert!(check_place(&view, "none/bundle").is_ok());
    }
}
