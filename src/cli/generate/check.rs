//! `--check`: whether generated files are up to date.

use std::collections::{BTreeMap, BTreeSet};

use crate::cli::invocation::{Access, Invocation, Transition};
use crate::disk::View;
use crate::error::{Code, Error, Result};
use crate::plan::{self, Plan, Tree, WayOut};

/// The hint if files that the user edited are out of date.
pub(in crate::cli) const FORCED: &str =
    "`--force` overwrites generated files that you edited: move your changes elsewhere first";

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
    /// The files that a command changes only with `--force`.
    pub(in crate::cli) forced: BTreeSet<String>,
    /// The files with a conflict that the user has to resolve, each with what is wrong.
    pub(in crate::cli) blocked: BTreeMap<String, String>,
}

/// Fails if an output could not be checked.
///
/// # Errors
/// One could not.
pub(in crate::cli) fn unchecked(plan: &Plan) -> Result<()> {
    if plan.unchecked.is_empty() {
        return Ok(());
    }
    let message = format!("failed to check {}", plan.unchecked.join(", "));
    Err(Error::new(Code::CheckFailed, message).hint("fix the manifests, and run the check again"))
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
        let plan = plan::plan(view, before, after, true)?;
        let mut forced = BTreeSet::new();
        if !plan.is_empty() {
            let (_, conflicts) = plan::compare(view, before, after, false)?;
            // The command says what else there is to do about a merge.
            let conflicts = conflicts
                .into_iter()
                .filter(|it| it.way_out != WayOut::Side);
            forced.extend(conflicts.map(|conflict| conflict.path));
        }
        Ok(Self {
            plan,
            forced,
            ..Self::default()
        })
    }

    /// Whether its command stops at a file, unless it is forced.
    pub(in crate::cli) fn needs_force(&self) -> bool {
        let mut paths = self.plan.reported().map(|change| &change.path);
        paths.any(|path| self.forced.contains(path))
    }

    pub(in crate::cli) fn is_empty(&self) -> bool {
        self.is_blocked_only() && self.blocked.is_empty()
    }

    /// Whether its command would change nothing.
    pub(in crate::cli) fn is_blocked_only(&self) -> bool {
        self.plan.is_empty() && self.more.is_empty()
    }

    /// What is wrong with files, if their text is not all.
    pub(in crate::cli) fn reasons(&self) -> Vec<String> {
        let blocked = self.blocked.iter();
        let blocked = blocked.map(|(path, reason)| format!("{path} ({reason})"));
        self.more.iter().cloned().chain(blocked).collect()
    }

    /// The files, each with what is wrong if its text is not.
    pub(in crate::cli) fn files(&self) -> Vec<String> {
        let changed = self.plan.reported().map(|change| &change.path);
        let changed = changed.filter(|path| !self.blocked.contains_key(*path));
        changed.cloned().chain(self.reasons()).collect()
    }

    /// Prints what differs, and fails if anything does.
    pub(in crate::cli) fn report(&self, words: &Check<'_>, invocation: &Invocation) -> Result<()> {
        if invocation.json {
            invocation.report(words.command, &self.plan)?;
        } else {
            let notes = self.plan.notes.iter();
            notes.for_each(|note| invocation.ui.note(note));
            invocation.ui.found(&self.plan.diff())?;
        }
        if self.is_empty() {
            unchecked(&self.plan)?;
            invocation.ui.done("done", words.fine);
            return Ok(());
        }
        let files = self.files().join(", ");
        let error = Error::new(Code::Drift, format!("{}: {files}", words.drift)).hint(words.hint);
        Err(if self.needs_force() {
            error.hint(FORCED)
        } else {
            error
        })
    }
}
