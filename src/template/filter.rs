//! Filters that templates use.

use tera::{Kwargs, State};

/// A string as a YAML scalar, quoted where it has to be.
pub(super) fn yaml(text: &str, _: Kwargs, _: &State) -> tera::TeraResult<String> {
    crate::yaml::to_string(&text)
        .map(|scalar| scalar.trim_end().to_owned())
        .map_err(|e| tera::Error::message(e.chain().collect::<Vec<_>>().join(": ")))
}
