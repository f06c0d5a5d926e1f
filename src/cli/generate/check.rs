//! Whether what could be generated is there already.

use crate::cli::context::{Change, Context, difference};
use crate::error::{Error, Result};

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

/// Prints what differs, and fails where anything does.
pub(super) fn check(change: &Change<'_>, words: &Check<'_>, context: &Context) -> Result<()> {
    let plan = difference(change.root, &change.before, &change.after)?;
    if context.json {
        context.report(words.command, &plan)?;
    } else {
        context.ui.data(&plan.diff())?;
    }
    if plan.is_empty() {
        context.ui.done("done", words.fine);
        return Ok(());
    }
    let files: Vec<_> = plan.changes.iter().map(|c| &*c.path).collect();
    Err(Error::drift(format!("{}: {}", words.drift, files.join(", "))).hint(words.hint))
}
