//! `--check`: whether generated files are up to date.

use crate::cli::invocation::{Access, Invocation, Transition};
use crate::error::{Code, Error, Result};
use crate::plan;

/// The messages of a check.
pub(in crate::cli) struct Check<'a> {
    /// The command, for JSON.
    pub(in crate::cli) command: &'a str,
    /// The message if nothing differs.
    pub(in crate::cli) fine: &'a str,
    /// The error if something differs; file names follow.
    pub(in crate::cli) drift: &'a str,
    /// The hint of that error.
    pub(in crate::cli) hint: &'a str,
}

/// The access of a command with `--check`.
pub(in crate::cli) fn access(check: bool) -> Access {
    if check { Access::Read } else { Access::Write }
}

/// Prints what differs, and fails if anything does, or if there is more that is
/// out of date: files, each with what is wrong.
pub(in crate::cli) fn check(
    change: &Transition<'_>,
    more: &[String],
    words: &Check<'_>,
    invocation: &Invocation,
) -> Result<()> {
    let plan = plan::plan(change.view, &change.before, &change.after, true)?;
    if invocation.json {
        invocation.report(words.command, &plan)?;
    } else {
        invocation.ui.data(&plan.diff())?;
    }
    if plan.is_empty() && more.is_empty() {
        invocation.ui.done("done", words.fine);
        return Ok(());
    }
    let changed = plan.reported().map(|change| change.path.clone());
    let files: Vec<_> = changed.chain(more.iter().cloned()).collect();
    Err(Error::new(
        Code::Drift,
        format!("{}: {}", words.drift, files.join(", ")),
    )
    .hint(words.hint))
}
