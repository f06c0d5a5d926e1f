//! What a comparison of one file comes to.

use crate::error::{Code, Error};

use super::Change;

/// A file in the way of a plan.
#[derive(Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Where it is, relative to the project.
    pub path: String,
    /// Why rop does not touch it.
    pub reason: String,
    /// Whether `--force` gets over it.
    pub forcible: bool,
    /// Whether `--force` would delete it, and not overwrite it.
    pub is_gone: bool,
}

/// What is to be done about a file.
pub(super) enum Outcome {
    Nothing,
    /// Nothing: its user edited it, and is told what would change.
    Left(String),
    /// Nothing, and why.
    Note(String),
    /// The user's own file takes the place of one that nothing depends on.
    Kept,
    Change(Change),
    /// It is in the way: why, and whether `--force` gets over it.
    Conflict(String, bool),
}

/// The error that names all files in the way.
pub(super) fn refusal(conflicts: &[Conflict]) -> Error {
    let lines: String = conflicts
        .iter()
        .map(|conflict| format!("\n  {} {}", conflict.path, conflict.reason))
        .collect();
    let files = match conflicts {
        [_] => "a file is".to_owned(),
        _ => format!("{} files are", conflicts.len()),
    };
    let mut error = Error::new(
        Code::FilesInTheWay,
        format!("{files} in the way, so nothing was written:{lines}"),
    );
    let any = |is_gone| {
        let forcible = conflicts.iter().filter(|conflict| conflict.forcible);
        forcible.filter(|one| one.is_gone == is_gone).count() > 0
    };
    if any(false) {
        error = error.hint("move your changes elsewhere, or overwrite them with `--force`");
    }
    if any(true) {
        error = error.hint("move what you need elsewhere, or delete the files with `--force`");
    }
    let is_said = |conflict: &Conflict| conflict.reason.contains(": ");
    match error.hints() {
        // Each says itself what to do.
        [] if conflicts.iter().all(is_said) => error,
        [] => error.hint("move them, and run the command again"),
        _ => error,
    }
}
