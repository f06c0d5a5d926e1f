//! Removes entries from PROJECT and deletes the files that follow.

use super::{left, used};
use crate::cli::invocation::{Access, Invocation, Opened, Transition};
use crate::error::Result;
use crate::project::{Project, ProjectKind};
use crate::scaffold::Change;

/// The entries removed from PROJECT.
#[derive(Default)]
pub(super) struct RemovedEntry {
    /// The kind whose types are deleted, in the deleted versions.
    pub(super) types: Option<ProjectKind>,
    /// Notes for the user.
    pub(super) notes: Vec<String>,
}

/// Removes an entry from PROJECT, and deletes all files that follow from it.
pub(super) fn remove_entry(
    command: &str,
    force: bool,
    invocation: &Invocation,
    change: impl FnOnce(&mut Project) -> Result<RemovedEntry>,
) -> Result<()> {
    // A missing file may belong to the entry that is removed.
    let Opened { entered, root } = invocation.open_incomplete(Access::Write)?;
    let view = &entered.view;
    let mut project = root.project.clone();
    let removed = change(&mut project)?;
    project.missing_sources(view).check()?;
    let (before, after) = Change::new(view, Some(&root.project), &project).trees()?;
    if let (Some(types), false) = (&removed.types, force) {
        used::check(view, types, &before, &after)?;
    }
    let transition = Transition {
        command,
        view,
        before,
        after,
        force,
    };
    let plan = invocation.carry_out_noting(&transition, |plan| {
        let mut notes = removed.notes;
        notes.extend(left::objects(&root.project, plan));
        if let Some(kind) = &removed.types {
            notes.extend(left::manifests(view, kind, plan)?);
        }
        notes.extend(left::outdated(view, plan));
        Ok(notes)
    })?;
    invocation.next(&plan, &["cargo test".into()]);
    Ok(())
}
