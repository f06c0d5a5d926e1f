//! What is at the path of an archive: only an image, or a chart, is replaced by another one.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::Value;

use crate::error::{Code, Context, Error, Result};

/// How many bytes of an index are read.
const MOST: u64 = 1 << 20;

/// How many bytes of a chart are read, unpacked.
const MOST_OF_CHART: u64 = 64 << 20;

/// Checks that a path has nothing, or an archive with an image.
pub(super) fn check(path: &Path) -> Result<()> {
    check_is(path, "an image archive", is_image)
}

/// Checks that a path has nothing, or an archive with a chart.
pub(in crate::image) fn check_chart(path: &Path) -> Result<()> {
    check_is(path, "a chart archive", is_chart)
}

fn check_is(path: &Path, what: &str, is_it: fn(File) -> io::Result<bool>) -> Result<()> {
    let Ok(metadata) = std::fs::metadata(path) else {
        return Ok(());
    };
    if metadata.is_file() {
        let file = File::open(path).unreadable(path.display())?;
        if metadata.len() == 0 || is_it(file).unwrap_or_default() {
            return Ok(());
        }
    }
    let message = format!("`{}` exists and is not {what}", path.display());
    Err(Error::new(Code::FilesInTheWay, message).hint("remove it, or choose another file"))
}

/// Whether a file is a compressed archive with the metadata of a chart.
fn is_chart(file: impl Read) -> io::Result<bool> {
    let archive = GzDecoder::new(file).take(MOST_OF_CHART);
    for entry in tar::Archive::new(archive).entries()? {
        let entry = entry?;
        let path = entry.path()?;
        if path.components().count() == 2 && path.ends_with("Chart.yaml") {
            return Ok(true);
        }
    }
    Ok(false)
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
