//! The Rust conversions between two versions of a kind, made from their types.
//!
//! They are a start, which is the user's: a field that both versions have by one name and type goes over, and one
//! that only the target has gets its default.

mod convert;
#[cfg(test)]
mod tests;
mod types;

use crate::error::Result;

use types::Types;

/// One of two versions of a kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Version<'a> {
    /// What it is called, such as `v1`.
    pub(crate) name: &'a str,
    /// The file of its types.
    pub(crate) path: &'a str,
    /// What stands there.
    pub(crate) text: &'a str,
}

/// The module beside the types of the newer version that converts them to and from those of the older one. `group` and
/// `module` are those of the kind in the API crate.
///
/// # Errors
/// The types are not Rust, or kube's derive is not there.
pub(crate) fn source(
    kind: &str,
    (group, module): (&str, &str),
    older: Version<'_>,
    newer: Version<'_>,
) -> Result<String> {
    let read = |version: Version<'_>| {
        let types = Types::parse(version.text);
        types.map_err(|error| error.context(format!("failed to read `{}`", version.path)))
    };
    let (older_types, newer_types) = (read(older)?, read(newer)?);
    let (older, newer) = (older.name, newer.name);
    let mut text = format!(
        "//! How `{kind}` is converted between `{older}` and `{newer}`.\n\
         //!\n\
         //! A conversion cannot fail: one object that cannot be converted would take all others away from those\n\
         //! who list them. What the other version has no field for is kept in an annotation, so nothing is lost\n\
         //! on the way back; the test of this conversion names such fields.\n\
         \n\
         use super::{module} as {newer};\n\
         use crate::{group}::{older}::{module} as {older};\n"
    );
    let (older, newer) = ((older, &older_types), (newer, &newer_types));
    for name in convert::names(&older_types, &newer_types) {
        for (from, to) in [(older, newer), (newer, older)] {
            text.push('\n');
            text.push_str(&convert::implementation(&name, from, to));
        }
    }
    Ok(text)
}
