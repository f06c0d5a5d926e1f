//! Where a path of a tree is on disk, and whether rop may write there.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::{Context, Result};

/// What stands at a path.
#[derive(Debug)]
pub(super) enum Place {
    /// Nothing.
    Free(PathBuf),
    /// A text file. The path has its links resolved.
    Text(PathBuf, String),
    /// Something that rop will not touch, and why.
    Blocked(String),
}

/// Looks at `path` below `root`, which has no links in it.
///
/// A link is followed where it stays in the project, so that it is still one afterwards.
pub(super) fn look(root: &Path, path: &str) -> Result<Place> {
    let target = root.join(path);
    let mut existing = target.as_path();
    let resolved = loop {
        match existing.canonicalize() {
            Ok(resolved) => break resolved,
            Err(e) if e.kind() == ErrorKind::NotFound && existing.is_symlink() => {
                return Ok(Place::Blocked("is a link to nothing".into()));
            }
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                existing = existing.parent().unwrap_or(root);
            }
            Err(e) => {
                return Err(e).context(|| format!("failed to look at `{}`", existing.display()));
            }
        }
    };
    if existing != root && root.starts_with(existing) {
        return Ok(Place::Free(target)); // The project is not there yet.
    }
    if !resolved.starts_with(root) {
        return Ok(Place::Blocked(format!(
            "is behind a link that leads out of the project, to `{}`",
            resolved.display()
        )));
    }
    if existing != target {
        return Ok(match resolved.is_dir() {
            true => Place::Free(resolved.join(target.strip_prefix(existing).unwrap_or(&target))),
            false => Place::Blocked(format!(
                "is below `{}`, which is a file",
                existing.display()
            )),
        });
    }
    if resolved.is_dir() {
        return Ok(Place::Blocked("is a directory".into()));
    }
    let bytes = std::fs::read(&resolved).context(|| format!("failed to read `{path}`"))?;
    Ok(match String::from_utf8(bytes) {
        Ok(text) => Place::Text(resolved, text),
        Err(_) => Place::Blocked("is not UTF-8 text".into()),
    })
}
