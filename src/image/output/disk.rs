//! Files that are asked for by name, and that are not part of the project.

use std::ffi::OsString;
use std::io;
use std::path::Path;

/// Writes a file whole, or leaves what was there. Folders on the way are made.
#[expect(
    clippy::disallowed_methods,
    reason = "an image or an archive is not a file of the project, and too large for a plan"
)]
pub(in crate::image) fn write(path: &Path, data: &[u8]) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        std::fs::create_dir_all(folder)?;
    }
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}", std::process::id()));
    let part = path.with_file_name(name);
    let written = std::fs::write(&part, data).and_then(|()| std::fs::rename(&part, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    written
}
