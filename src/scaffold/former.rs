//! Files that a branch added while another one gave the project other names.

use std::collections::BTreeSet;

use crate::disk::View;
use crate::error::Result;
use crate::listed::listed;
use crate::project::Project;
use crate::record::{self, Names};

/// Maximum number of names in the note.
const NAMED: usize = 5;

/// A merged branch in which the project had other names.
pub(crate) struct Former {
    /// The project under the names of the branch.
    pub(crate) project: Project,
    /// The project under its current names, with the kinds of the branch in its domain.
    pub(crate) next: Project,
    /// The names in further branches.
    pub(crate) others: BTreeSet<Names>,
}

impl Former {
    /// The first merged branch with other names, if there is one.
    ///
    /// # Errors
    /// The record cannot be read.
    pub(crate) fn read(view: &View, project: &Project) -> Result<Option<Self>> {
        let mut others = record::former_names(view, project)?;
        let former = others.pop_first().and_then(|names| {
            let former = names.apply_to(project.clone())?;
            let mut next = project.clone();
            // Kinds of the other branch are still in its domain.
            next.domain.clone_from(&former.domain);
            next.project_name.clone_from(&former.project_name);
            Some(Self {
                next: Names::of(project).apply_to(next)?,
                project: former,
                others,
            })
        });
        Ok(former)
    }

    /// A note on branches that are left, if there are any.
    pub(crate) fn note(&self) -> Option<String> {
        let names: Vec<_> = self
            .others
            .iter()
            .map(|names| format!("`{}`", names.label(&self.next)))
            .collect();
        (!names.is_empty()).then(|| {
            format!(
                "merged branches also used {}: run `rop generate project` again to rename their files",
                listed(&names, NAMED)
            )
        })
    }
}
