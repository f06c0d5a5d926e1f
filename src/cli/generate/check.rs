//! `--check`: whether generated files are up to date.

use crate::cli::invocation::{Access, Invocation, Transition};
use crate::disk::View;
use crate::error::{Code, Error, Result};
use crate::plan::{self, Plan, Tree};

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

/// What is out of date.
#[derive(Debug, Default)]
pub(in crate::cli) struct Drift {
    /// The files whose text differs.
    pub(in crate::cli) plan: Plan,
    /// Files that are out of date otherwise, each with what is wrong.
    pub(in crate::cli) more: Vec<String>,
}

/// The access of a command with `--check`.
pub(in crate::cli) fn access(check: bool) -> Access {
    if check { Access::Read } else { Access::Write }
}

impl Drift {
    /// Compares the desired files with those on disk.
    pub(in crate::cli) fn of(change: &Transition<'_>) -> Result<Self> {
        Self::between(change.view, &change.before, &change.after)
    }

    /// As [`Self::of`], for files that no command would write like this.
    pub(in crate::cli) fn between(view: &View, before: &Tree, after: &Tree) -> Result<Self> {
        Ok(Self {
            plan: plan::plan(view, before, after, true)?,
            more: Vec::new(),
        })
    }

    pub(in crate::cli) fn is_empty(&self) -> bool {
        self.plan.is_empty() && self.more.is_empty()
    }

    /// The files, each with what is wrong if its text is not.
    pub(in crate::cli) fn files(&self) -> Vec<String> {
        let changed = self.plan.reported().map(|change| change.path.clone());
        changed.chain(self.more.iter().cloned()).collect()
    }

    /// Prints what differs, and fails if anything does.
    pub(in crate::cli) fn report(&self, words: &Check<'_>, invocation: &Invocation) -> Result<()> {
        if invocation.json {
            invocation.report(words.command, &self.plan)?;
        } else {
            invocation.ui.data(&self.plan.diff())?;
        }
        if self.is_empty() {
            invocation.ui.done("done", words.fine);
            return Ok(());
        }
        let files = self.files().join(", ");
        Err(Error::new(Code::Drift, format!("{}: {files}", words.drift)).hint(words.hint))
    }
}
