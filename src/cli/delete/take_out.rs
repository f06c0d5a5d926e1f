//! Removes entries from PROJECT and deletes the files that follow.

use super::{left, used};
use crate::cli::invocation::{Access, Invocation, Opened, Transition};
use crate::error::Result;
use crate::project::{Project, ProjectKind};
use crate::scaffold::Change;

/// The entries removed from PROJECT.
#[derive(Default)]
pub(super) struct Taken {
    /// The kind whose types are deleted, in the deleted versions.
    pub(super) types: Option<ProjectKind>,
    /// Notes for the user.
    pub(super) notes: Vec<String>,
}

/// Removes an entry from PROJECT, and deletes all files that follow from it.
pub(super) fn take_out(
    command: &str,
    force: bool,
    invocation: &Invocation,
    change: impl FnOnce(&mut Project) -> Result<Taken>,
) -> Result<()> {
    // What is missing may be of what goes.
    let Opened { entered, root } = invocation.open_incomplete(Access::Write)?;
    let view = &entered.view;
    let mut project = root.project.clone();
    let taken = change(&mut project)?;
    project.missing_sources(view).check()?;
    let (before, after) = Change::new(view, Some(&root.project), &project).trees()?;
    if let (Some(types), false) = (&taken.types, force) {
        used::check(view, types, &before, &after)?;
    }
    let plan = invocation.carry_out(&Transition {
        command,
        view,
        before,
        after,
        force,
    })?;
    let objects = left::objects(&root.project, &plan);
    for note in taken.notes.iter().chain(&objects) {
        invocation.ui.note(note);
    }
    invocation.next(&plan, &["cargo test".into()]);
    Ok(())
}
