//! What kubectl says when it fails, with the way out where it is known.

mod hint;
mod text;

#[cfg(test)]
mod tests;

use crate::error::Error;

/// An error of what kubectl said, with a hint for each sort of failure in it.
pub(super) fn explain(stderr: &str) -> Error {
    let lines = text::lines(stderr);
    if lines.is_empty() {
        return Error::new("kubectl failed and said nothing");
    }
    let mut hints = Vec::new();
    for hint in lines.iter().filter_map(|line| hint::of(line)) {
        if !hints.contains(&hint) {
            hints.push(hint);
        }
    }
    let error = Error::new(lines.join("\n"));
    hints.into_iter().fold(error, Error::hint)
}

/// What kubectl had said until it was stopped.
pub(super) fn so_far(stderr: &str) -> Error {
    match &*text::lines(stderr).join("\n") {
        "" => Error::new("it said nothing"),
        said => Error::new(said),
    }
}
