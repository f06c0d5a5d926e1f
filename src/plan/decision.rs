//! Decisions on single files, and the error that lists conflicts.

use crate::error::{Code, Error};
use crate::shell_word::shell_word;

use super::overlap::Overlaps;
use super::{Change, Overlap};

/// What the reason of a conflict starts with where a file is in place of a folder.
pub(super) const BELOW: &str = "is below ";

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
    /// The lines that both the user and this release changed.
    pub overlaps: Vec<Overlap>,
}

/// How to resolve a conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WayOut {
    /// Overwrite with `--force`.
    Force,
    /// Take one side of a merge, or overwrite with `--force`.
    Side,
    /// Move the file elsewhere.
    Move,
    /// Follow the reason.
    Said,
    /// Choose between the texts.
    Choose,
}

/// The conflict of a user's file with git's conflict markers.
pub(super) const MERGED: &str = "has merge conflicts: resolve them and run the command again";

/// What the reason of a conflict starts with where a link leads out of the project.
pub(super) const BEHIND: &str = "is behind the link";

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
    /// Lines that both the user and this release changed, and the change that puts both texts into the file.
    Overlaps(Overlaps, Change),
}

/// The error that lists conflicts: no more than `most` differences.
pub(crate) fn refusal(conflicts: &[Conflict], most: usize) -> Error {
    let is_same = |one: &Conflict, other: &Conflict| {
        one.reason == other.reason && one.reason.starts_with(BELOW)
    };
    let (mut lines, mut left, mut more) = (Vec::new(), most, 0);
    for conflicts in conflicts.chunk_by(is_same) {
        if left == 0 {
            more += conflicts.len();
        } else {
            lines.push(line(conflicts, left));
            left = left.saturating_sub(conflicts[0].overlaps.len().max(1));
        }
    }
    if more > 0 {
        let plural = if more == 1 { "" } else { "s" };
        lines.push(format!(
            "\n  and {more} more file{plural}: `--verbose` shows all"
        ));
    }
    let lines = lines.concat();
    let (files, is, has) = match conflicts {
        [_] => ("a file".to_owned(), "is", "has"),
        _ => (format!("{} files", conflicts.len()), "are", "have"),
    };
    let overlap = conflicts.iter().any(|it| it.way_out == WayOut::Choose);
    let all = |part: &str| conflicts.iter().all(|it| it.reason.contains(part));
    let problem = match () {
        () if overlap => format!("{is} not merged"),
        () if all(" edited") => format!("{has} local changes"),
        () if all("merge conflicts") => format!("{has} merge conflicts"),
        () => format!("{is} in the way"),
    };
    let mut error = Error::new(
        Code::FilesInTheWay,
        format!("{files} {problem}; nothing was written:{lines}"),
    );
    if overlap {
        error = error.hint(
            "make the change of this release yourself, or write both texts into the files and choose there: \
            `rop update --conflicts=markers`",
        );
    }
    if let Some(merged) = conflicts.iter().find(|it| it.way_out == WayOut::Side) {
        let path = shell_word(&merged.path);
        error = error.hint(format!(
            "take one side of each merged file as a whole, for example `git checkout --ours -- {path}`, and run the \
            command again; or overwrite them with `--force`"
        ));
    }
    if conflicts.iter().any(|it| it.reason.starts_with(BEHIND)) {
        error = error.hint("replace each link with a copy of its target and run the command again");
    }
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

/// The line of a conflict with its first `most` differences, or of several that one file causes.
fn line(conflicts: &[Conflict], most: usize) -> String {
    let Conflict {
        path,
        reason,
        overlaps,
        ..
    } = &conflicts[0];
    let texts = overlaps.iter().take(most).map(both_texts);
    let more = overlaps.len().saturating_sub(most);
    let rest = (more > 0).then(|| {
        let plural = if more == 1 { "" } else { "s" };
        format!("\n    … {more} more place{plural}: `--verbose` shows all")
    });
    let texts: String = texts.chain(rest).collect();
    if let [_] = conflicts {
        return format!("\n  {path} {reason}{texts}");
    }
    let place = reason.strip_prefix("is ").unwrap_or(reason);
    format!("\n  {} files, such as {path}, are {place}", conflicts.len())
}

/// How many lines of a text an error shows.
const SHOWN: usize = 12;

/// The lines that the user and the release changed, for an error.
fn both_texts(overlap: &Overlap) -> String {
    let (first, last) = (overlap.lines.start(), overlap.lines.end());
    let place = match last.saturating_sub(*first) {
        0 => format!("line {first}"),
        _ => format!("lines {first} to {last}"),
    };
    format!(
        "\n    {place}, yours:{}\n    this release:{}",
        shown(&overlap.current),
        shown(&overlap.new)
    )
}

/// The first lines of a text.
fn shown(text: &str) -> String {
    let lines: Vec<_> = text.lines().collect();
    let first = lines.iter().take(SHOWN);
    let shown: String = first.map(|line| format!("\n      | {line}")).collect();
    match lines.len().saturating_sub(SHOWN) {
        _ if lines.is_empty() => " nothing".to_owned(),
        0 => shown,
        more => format!("{shown}\n      … {more} more lines"),
    }
}
