//! What the evaluation of validation rules says of an object.

use kube_cel::{ErrorKind, ValidationError, ValidationErrors};

/// The rules that an object violates. A rule that calls a function that only an API server has, such as
/// `url`, is not evaluated.
pub(super) fn violated(result: Result<(), ValidationErrors>) -> Vec<ValidationError> {
    let mut errors = result.map_or_else(ValidationErrors::into_vec, |()| Vec::new());
    errors.retain(|error| error.kind != ErrorKind::UnsupportedReference);
    errors
}
