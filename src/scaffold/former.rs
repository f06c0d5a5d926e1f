//! Files that a branch added while another one gave the project other names.

use crate::disk::View;
use crate::error::Result;
use crate::project::Project;
use crate::record::{self, Names};

/// A project as another branch called it, and as PROJECT calls it now, with all kinds in its domain. Nothing if no
/// such branch was merged.
///
/// # Errors
/// The record cannot be read.
pub(crate) fn former(view: &View, project: &Project) -> Result<Option<[Project; 2]>> {
    let former = record::former_names(view, project)?.into_iter().next();
    let projects = former.and_then(|names| {
        let former = names.apply_to(project.clone())?;
        let mut next = project.clone();
        // Kinds of the other branch are still in its domain.
        next.domain.clone_from(&former.domain);
        next.project_name.clone_from(&former.project_name);
        Some([former, Names::of(project).apply_to(next)?])
    });
    Ok(projects)
}
