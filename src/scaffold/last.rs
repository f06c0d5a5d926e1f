//! A project as rop made it last.

use crate::disk::View;
use crate::error::Result;
use crate::plan::{Ownership, Tree};
use crate::project::Project;
use crate::record::{self, Record};

use super::{as_built, render};

/// A project as rop made it last.
pub(super) struct Last {
    pub(super) project: Project,
    pub(super) tree: Tree,
    /// What it says of itself, if it does.
    pub(super) record: Option<Record>,
    /// What a release before the record made of it, if one did. An update looks for that.
    pub(super) former: Tree,
}

impl Last {
    /// Reads what is recorded of a project. `project` is what PROJECT says now, or what it said
    /// in another branch, which the record does not say.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(super) fn read(view: &View, project: &Project, is_former: bool) -> Result<Self> {
        let record = Record::read(view)?.filter(|_| !is_former);
        let built = as_built(view, project)?;
        let project = match &record {
            Some(record) => {
                record.check(project)?;
                let library = project.library;
                let last = Project {
                    library,
                    // A user may have another one in Cargo.toml.
                    runtime: built.runtime,
                    ..record.project.clone()
                };
                // Somebody may have moved the files by hand.
                last.as_laid_out(view)
            }
            None => adopted(view, &built),
        };
        Ok(Self {
            tree: render(view, &project)?,
            project,
            record,
            former: Tree::default(),
        })
    }

    /// Fails if other templates than those of this build made it.
    ///
    /// # Errors
    /// As [`record::check_release`].
    pub(super) fn check_release(&self) -> Result<()> {
        match &self.record {
            Some(record) => record.check_release(),
            None => record::check_release(&self.project, false),
        }
    }

    /// The files that it has from rop, by the record or by a release before it.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, Ownership)> {
        let recorded = self.record.iter().flat_map(Record::files);
        let former = self.former.files();
        recorded.chain(former.map(|file| (file.path(), file.ownership())))
    }

    /// Whether it has a file from rop.
    pub(super) fn is_given(&self, path: &str) -> bool {
        self.files().any(|(file, _)| file == path)
    }
}

/// A project that has no record: an older release made it, or somebody deleted the record. What PROJECT lists and
/// is there was made.
fn adopted(view: &View, project: &Project) -> Project {
    project.as_laid_out(view).present(view)
}
