//! The templates of the last release before the record: its projects do not say what was given, so it is rendered again.
//!
//! The text beside this has the templates that made files of the user's, with their filters written out, and the paths
//! of those that made files of rop's.

use super::embedded;
use super::engine::Engine;
use super::rendered_by;
use crate::error::Result;
use crate::plan::{Ownership, Tree};
use crate::project::Project;

/// The files that the release before the record made of a project, if `on_disk` has more of them than of `this`
/// release's. Files that need what no project has any more are left out.
///
/// # Errors
/// A name of the project makes none that Kubernetes accepts.
pub(crate) fn former(
    project: &Project,
    this: &Tree,
    on_disk: impl Fn(&str) -> Option<String>,
) -> Result<Option<Tree>> {
    let mut former = Tree::default();
    let engine = Engine::of_former(embedded::former());
    for file in rendered_by(&engine, project, |_| Ok(()))? {
        former.insert(file);
    }
    let same = |tree: &Tree| {
        let seeded = tree
            .files()
            .filter(|file| file.ownership() == Ownership::Seeded);
        seeded
            .filter(|file| on_disk(file.path()).as_deref() == Some(file.text()))
            .count()
    };
    Ok((same(&former) > same(this)).then_some(former))
}
