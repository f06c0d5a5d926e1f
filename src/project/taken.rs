//! What two parts of a project cannot both have.

use std::fmt::Display;

use crate::error::{Code, Error};

/// The error of two parts that would have the same.
pub(super) fn conflict(
    code: Code,
    one: impl Display,
    other: impl Display,
    what: impl Display,
) -> Error {
    Error::new(code, format!("{one} and {other} would both have {what}"))
}
