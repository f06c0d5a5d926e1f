//! From a change of what PROJECT lists no more to all files that go with it.

use super::used;
use crate::cli::invocation::{Access, Invocation, Opened, Transition};
use crate::error::Result;
use crate::project::{Project, ProjectKind};
use crate::scaffold::Change;

/// What was taken out of PROJECT.
#[derive(Default)]
pub(super) struct Taken {
    /// The kind whose types go, in the versions that do.
    pub(super) types: Option<ProjectKind>,
    /// What the user has to know of them.
    pub(super) notes: Vec<String>,
}

/// Takes something out of PROJECT, and deletes all that follows from it.
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
    for note in &taken.notes {
        invocation.ui.note(note);
    }
    invocation.next(&plan, &["cargo test".into()]);
    Ok(())
}
