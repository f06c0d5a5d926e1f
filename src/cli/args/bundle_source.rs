//! A bundle in a directory, or in an image.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::image::Unpacked;
use crate::project::name::{Image, NameError};
use crate::ui::Ui;

/// Where a bundle is.
pub(in crate::cli) enum BundleSource {
    Directory(PathBuf),
    Image(Image),
}

impl BundleSource {
    /// What a user named. What exists is no image, nor is what names neither a registry nor a tag: no misspelled
    /// directory is looked for in a registry.
    ///
    /// # Errors
    /// It is an invalid reference.
    pub(in crate::cli) fn parse(named: &Path) -> Result<Self> {
        let reference = named.to_str().filter(|named| is_reference(named));
        let Some(reference) = reference.filter(|_| !named.exists()) else {
            return Ok(Self::Directory(named.to_owned()));
        };
        let image = reference.parse().map_err(|error: NameError| {
            Error::from(error).hint("or name the directory of a bundle")
        })?;
        Ok(Self::Image(image))
    }
}

/// Pulls the image of a bundle from a registry that can be silent for so long.
///
/// # Errors
/// The registry does not answer or has no such image, or it is no image of a bundle.
pub(in crate::cli) fn pull(
    image: &Image,
    insecure: bool,
    patience: Duration,
    ui: &Ui,
) -> Result<Unpacked> {
    Unpacked::pull(image, insecure, patience, ui)
}

/// Whether a name has a registry, a tag or a digest, as none of a directory has.
fn is_reference(named: &str) -> bool {
    let (first, rest) = named.split_once('/').unwrap_or(("", named));
    let last = rest.rsplit('/').next().unwrap_or_default();
    let is_host = first.contains(['.', ':']) || first == "localhost";
    let is_path = named.starts_with(['.', '/', '~']) || last.is_empty();
    !is_path && (is_host || last.contains([':', '@']))
}

#[cfg(test)]
mod tests {
    use super::is_reference;

    #[test]
    fn directories_are_no_references() {
        for (named, expected) in [
            ("example.com/bundle", true),
            ("localhost/bundle", true),
            ("localhost:5000/a/bundle", true),
            ("team/bundle:v1", true),
            ("bundle:v1", true),
            ("bundle@sha256:0", true),
            ("bundle", false),
            ("bundle.v1", false),
            ("out/bundle", false),
            ("example.com/bundle/", false),
            ("./bundle:v1", false),
            ("../bundle", false),
            ("/tmp/bundle.d/a:b", false),
            ("", false),
        ] {
            assert_eq!(is_reference(named), expected, "{named}");
        }
    }
}
