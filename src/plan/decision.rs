//! Decisions on single files, and the error that lists conflicts.

use crate::error::{Code, Error};

use super::Change;

/// A file that a plan must not overwrite.
#[derive(Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Its path, relative to the project.
    pub path: String,
    /// Why it is not overwritten.
    pub reason: String,
    /// How to resolve it.
    pub way_out: WayOut,
    /// Whether `--force` would delete it, and not overwrite it.
    pub is_gone: bool,
}

/// How to resolve a conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WayOut {
    /// Overwrite with `--force`.
    Force,
    /// Move the file elsewhere.
    Move,
    /// Follow the reason.
    Said,
}

/// What to do with a file.
pub(super) enum Decision {
    Nothing,
    /// Keep the user's edits; the text shows the change.
    Left(String),
    /// Do nothing, with a note.
    Note(String),
    /// Keep the user's file instead of a generated one that nothing depends on.
    Kept,
    Change(Change),
    /// A conflict: the reason, and how to resolve it.
    Conflict(String, WayOut),
}

/// The error that lists all conflicts.
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
        format!("{files} in the way; nothing was written:{lines}"),
    );
    let any = |is_gone| {
        let is_forcible = |conflict: &&Conflict| conflict.way_out == WayOut::Force;
        let forcible = conflicts.iter().filter(is_forcible);
        forcible
            .filter(|conflict| conflict.is_gone == is_gone)
            .count()
            > 0
    };
    if any(false) {
        error = error.hint("move your changes elsewhere, or overwrite them with `--force`");
    }
    if any(true) {
        error = error.hint("move your changes elsewhere, or delete the files with `--force`");
    }
    let is_said = |conflict: &Conflict| conflict.way_out == WayOut::Said;
    match error.hints() {
        [] if conflicts.iter().all(is_said) => error,
        [] => error.hint("move the files and run the command again"),
        _ => error,
    }
}
