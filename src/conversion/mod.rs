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

/// The module beside the types of the spoke that converts them to and from those of the hub. `group` and `module` are
/// those of the kind in the API crate.
///
/// # Errors
/// The types are not Rust, or kube's derive is not there.
pub(crate) fn source(
    kind: &str,
    (group, module): (&str, &str),
    hub: Version<'_>,
    spoke: Version<'_>,
) -> Result<String> {
    let read = |version: Version<'_>| {
        let types = Types::parse(version.text);
        types.map_err(|error| error.context(format!("failed to read `{}`", version.path)))
    };
    let (hub_types, spoke_types) = (read(hub)?, read(spoke)?);
    let (hub, spoke) = (hub.name, spoke.name);
    let mut text = format!(
        "//! How `{kind}` is converted between `{hub}`, in which it is stored, and `{spoke}`.\n\
         //!\n\
         //! A conversion cannot fail: an object that one version holds and another does not would take all\n\
         //! objects away from those who list them. What the other version has no field for is kept in an\n\
         //! annotation, so nothing is lost on the way back; the test of this conversion names such fields.\n\
         \n\
         use super::{module} as {spoke};\n\
         use crate::{group}::{hub}::{module} as {hub};\n"
    );
    let (hub, spoke) = ((hub, &hub_types), (spoke, &spoke_types));
    for name in convert::names(&hub_types, &spoke_types) {
        for (from, to) in [(hub, spoke), (spoke, hub)] {
            text.push('\n');
            text.push_str(&convert::implementation(&name, from, to));
        }
    }
    Ok(text)
}
