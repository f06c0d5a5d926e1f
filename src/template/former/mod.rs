//! Templates of the releases before the record: their projects do not say what was given, so it is rendered again.
//!
//! Each text has the templates that made files of the user's, with their filters written out, and the paths of those
//! that made files of rop's.

use super::embedded;
use super::engine::Engine;
use super::rendered_by;
use crate::error::Result;
use crate::plan::{Ownership, Tree};
use crate::project::Project;

/// The files that a release before the record made of a project: of all releases, that of which `on_disk` has the most
/// files. None if this release is the one. Files that need what no project has any more are left out.
///
/// # Errors
/// A name of the project makes none that Kubernetes accepts.
pub(crate) fn former(
    project: &Project,
    this: &Tree,
    on_disk: impl Fn(&str) -> Option<String>,
) -> Result<Option<Tree>> {
    let same = |tree: &Tree| {
        let users = tree
            .files()
            .filter(|file| file.ownership() == Ownership::Seeded);
        users
            .filter(|file| on_disk(file.path()).as_deref() == Some(file.text()))
            .count()
    };
    let (mut best, mut most) = (None, same(this));
    for templates in embedded::former() {
        let mut tree = Tree::default();
        for file in rendered_by(&Engine::of_former(templates), project, |_| Ok(()))? {
            tree.insert(file);
        }
        let count = same(&tree);
        if count > most {
            (best, most) = (Some(tree), count);
        }
    }
    Ok(best)
}
