//! What is at the path of an archive: only an image is replaced.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;

use serde_json::Value;

use crate::error::{Code, Context, Error, Result};

/// How many bytes of an index are read.
const MOST: u64 = 1 << 20;

/// Checks that a path has nothing, or an archive with an image.
pub(super) fn check(path: &Path) -> Result<()> {
    let Ok(metadata) = std::fs::metadata(path) else {
        return Ok(());
    };
    if metadata.is_file() {
        let file = File::open(path).unreadable(path.display())?;
        if metadata.len() == 0 || is_image(file).unwrap_or_default() {
            return Ok(());
        }
    }
    let message = format!("`{}` exists and is not an image archive", path.display());
    Err(Error::new(Code::FilesInTheWay, message).hint("remove it, or choose another file"))
}

/// Whether a file is an archive with the mark of an OCI layout or the index of `docker save`, in which it is an image to
/// the tools of both.
fn is_image(file: impl Read + Seek) -> io::Result<bool> {
    for entry in tar::Archive::new(file).entries_with_seek()? {
        let entry = entry?;
        let path = entry.path()?.into_owned();
        let name = path.strip_prefix(".").unwrap_or(&path).to_str();
        let is_mark: fn(&Value) -> bool = match name {
            Some("oci-layout") => |mark| mark["imageLayoutVersion"].is_string(),
            Some("manifest.json") => |index| index[0]["Layers"].is_array(),
            _ => continue,
        };
        let content: Result<Value, _> = serde_json::from_reader(entry.take(MOST));
        if content.is_ok_and(|content| is_mark(&content)) {
            return Ok(true);
        }
    }
    Ok(false)
}
