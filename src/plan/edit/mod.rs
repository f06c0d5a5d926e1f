//! Edits of files that rop and the user share: what a template gained is put in, and all else,
//! comments and order too, stays as the user left it.

mod lines;
mod toml;
mod yaml;

use crate::error::Result;

/// What an edit comes to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Edit {
    /// Everything is there already.
    Nothing,
    /// The new text.
    Text(String),
    /// The file has no place for it: why, and what should stand in it.
    NoPlace(String),
}

impl Edit {
    fn of(old: &str, new: String) -> Self {
        if new == old {
            Self::Nothing
        } else {
            Self::Text(new)
        }
    }
}

/// A text of YAML with what `desired` changes in `base`, and with its comments and its order. `None` if it has no place
/// for a change.
///
/// # Errors
/// A text is not YAML.
pub(crate) fn with_changes(text: &str, base: &str, desired: &str) -> Result<Option<String>> {
    Ok(match yaml::merge("", text, base, desired)? {
        Edit::Nothing => Some(text.to_owned()),
        Edit::Text(text) => Some(text),
        Edit::NoPlace(_) => None,
    })
}

/// Brings what `desired` has beyond `base` into `text`, the file at `path`.
///
/// `base` is what the templates made last: empty where they made nothing.
pub(super) fn merge(path: &str, text: &str, base: &str, desired: &str) -> Result<Edit> {
    if base == desired {
        return Ok(Edit::Nothing);
    }
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    match name.rsplit_once('.') {
        Some((_, "toml")) => toml::merge(path, text, base, desired),
        // A file without an extension is PROJECT.
        Some((_, "yaml")) | None => yaml::merge(path, text, base, desired),
        Some((_, "gitignore")) => Ok(lines::merge(text, base, desired)),
        // Cargo.lock: cargo itself brings it in line with Cargo.toml.
        Some(_) => Ok(Edit::Nothing),
    }
}
