//! What the own command of an output changes.

use crate::disk::View;
use crate::error::Result;
use crate::output::{self, Output};
use crate::plan::{Ownership, Tree};
use crate::project::Project;
use crate::record;
use crate::scaffold;

/// An output before its own command, and after it, with the record of both.
///
/// `written` are the files of it that rop wrote and rewrites: what is no longer desired goes. A new output overwrites
/// nothing, so all that is there is the user's, but for what is left of one that was generated before.
///
/// # Errors
/// A file cannot be read, or another release made the project.
pub(super) fn change(
    view: &View,
    is_new: bool,
    written: Tree,
    after: Tree,
) -> Result<(Tree, Tree)> {
    with_record(view, given(view, is_new, written, &after)?, after)
}

/// Like [`change`], of an output in `config/`, which is `own`: what else is made of the project's manifests follows.
///
/// # Errors
/// As [`change`], or a manifest of the project cannot be read.
pub(super) fn change_of_manifests(
    view: &View,
    project: &Project,
    output: &'static dyn Output,
    own: &Tree,
) -> Result<(Tree, Tree)> {
    let written = output.generated(view, project)?;
    let mut before = given(view, !output.is_in(view), written, own)?;
    let mut after = Tree::default();
    let mut last = add_outputs(view, project, Some((output, own)), &mut after)?;
    last.retain(|file| own.get(file.path()).is_none() && before.get(file.path()).is_none());
    before.extend(last);
    with_record(view, before, after)
}

/// Adds the outputs of a project, and one that is `generated`, to its manifests. Returns them as they were last generated.
///
/// # Errors
/// A file cannot be read.
pub(super) fn add_outputs(
    view: &View,
    project: &Project,
    generated: Option<(&'static dyn Output, &Tree)>,
    after: &mut Tree,
) -> Result<Tree> {
    let mut before = Tree::default();
    scaffold::add_outputs(view, project, generated, [&mut before, after])?;
    let mut gone = output::generated(view, project)?;
    gone.retain(|file| file.ownership() == Ownership::Owned && after.get(file.path()).is_none());
    before.extend(gone);
    Ok(before)
}

/// The files of an output as they were last generated.
fn given(view: &View, is_new: bool, mut written: Tree, after: &Tree) -> Result<Tree> {
    let mut before = scaffold::given(view, after)?;
    if is_new {
        let mut known = Tree::default();
        for file in before.files().filter(|file| view.is_file(file.path())) {
            if record::given(view, file.path())?.is_some() {
                known.insert(file.clone());
            }
        }
        before = known;
    }
    written.retain(|file| after.get(file.path()).is_none());
    before.extend(record::bases(&written));
    before.extend(written);
    Ok(before)
}

fn with_record(view: &View, mut before: Tree, mut after: Tree) -> Result<(Tree, Tree)> {
    let (recorded, record) = record::extended(view, &after)?;
    before.extend(recorded);
    after.extend(record);
    Ok((before, after))
}
