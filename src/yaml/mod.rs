//! YAML, read and written: the one place that knows the library.

mod builder;
mod documents;
mod error;
mod places;
mod scalar;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Code, Context, Result};

pub(crate) use builder::MOST_COPIES;
pub(crate) use documents::{Located, Malformed, documents, has_comments, located};
pub(crate) use error::Error;
pub(crate) use places::{Place, push};

/// Reads one document.
pub(crate) fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    serde_yaml::from_str(text).map_err(|error| Error::new(text, &error))
}

/// Writes one document: two spaces a level, no line folded, strings quoted where YAML 1.1 would
/// read something else.
pub(crate) fn to_string<T: Serialize>(value: &T) -> Result<String> {
    let options = serde_yaml::ser_options! {
        folded_wrap_chars: usize::MAX,
        min_fold_chars: usize::MAX,
    };
    serde_yaml::to_string_with_options(value, options)
        .context(Code::GenerationFailed, || "failed to write YAML")
}
