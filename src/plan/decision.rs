//! Decisions on single files, and the error that lists conflicts.

use crate::error::{Code, Error};

use super::Change;

/// A file in the way of a plan.
#[derive(Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Where it is, relative to the project.
    pub path: String,
    /// Why rop does not touch it.
    pub reason: String,
    /// What gets over it.
    pub way_out: WayOut,
    /// Whether `--force` would delete it, and not overwrite it.
    pub is_gone: bool,
}

/// What gets over a file in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WayOut {
    /// `--force`.
    Force,
    /// Moving it elsewhere.
    Move,
    /// What the reason says.
    Said,
}

/// What to do with a file.
pub(super) enum Decision {
    Nothing,
    /// Its user edited it, so it stays, and the text shows what would change.
    Left(String),
    /// Nothing, and why.
    Note(String),
    /// The user's own file takes the place of one that nothing depends on.
    Kept,
    Change(Change),
    /// It is in the way: why, and what gets over it.
    Conflict(String, WayOut),
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
