//! Whether what could be generated is there already.

use crate::cli::invocation::{Access, Invocation, Transition};
use crate::error::{Code, Error, Result};
use crate::plan;

/// What is said of a check.
pub(super) struct Check<'a> {
    /// In JSON.
    pub(super) command: &'a str,
    /// Where nothing differs.
    pub(super) fine: &'a str,
    /// Where something does: the names of the files stand behind it.
    pub(super) drift: &'a str,
    /// What to do then.
    pub(super) hint: &'a str,
}

/// What a command does to a project that may be told to check only.
pub(super) fn access(check: bool) -> Access {
    match check {
        true => Access::Read,
        false => Access::Write,
    }
}

/// Prints what differs, and fails if anything does, or if there are `orphans`: files that nothing
/// makes any more.
pub(super) fn check(
    change: &Transition<'_>,
    orphans: &[String],
    words: &Check<'_>,
    invocation: &Invocation,
) -> Result<()> {
    let plan = plan::plan(change.view, &change.before, &change.after, true)?;
    if invocation.json {
        invocation.report(words.command, &plan)?;
    } else {
        invocation.ui.data(&plan.diff())?;
    }
    if plan.is_empty() && orphans.is_empty() {
        invocation.ui.done("done", words.fine);
        return Ok(());
    }
    let changed = plan.changes.iter().map(|change| change.path.clone());
    let orphans = orphans
        .iter()
        .map(|path| format!("{path} (no longer generated)"));
    let files: Vec<_> = changed.chain(orphans).collect();
    Err(Error::new(
        Code::Drift,
        format!("{}: {}", words.drift, files.join(", ")),
    )
    .hint(words.hint))
}
