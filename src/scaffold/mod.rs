//! The one way from PROJECT to the files of a project: templates, then the role and the webhooks that
//! their markers ask for, then the outputs that the project has.

mod change;
mod external;
mod former;
mod last;
mod leftover;
mod renamed;
mod roles;
mod round_trip;
mod unlisted;
mod versions;
mod webhooks;

use crate::disk::View;
use crate::error::Result;
use crate::manifest::Sources;
use crate::output::{self, Manifests, Output};
use crate::plan::{File, Ownership, Tree};
use crate::project::Project;
use crate::record;
use crate::template;

pub use change::Change;
pub(crate) use external::{external_types, unsure_fixtures};
pub(crate) use former::former;
pub(crate) use leftover::{leftovers, links_out};
pub(crate) use roles::{put_role, put_role_namespaces_on_disk};
pub(crate) use webhooks::webhook_folder;

/// What templates make of a project, with what is there of the files that are generated of its sources.
fn made(view: &View, project: &Project) -> Result<Tree> {
    complete(view, project, template::render(project)?)
}

/// What templates make of a project, given as `made`, with what is there of the files that are generated.
fn complete(view: &View, project: &Project, mut made: Tree) -> Result<Tree> {
    external::put(view, project, false, &mut made)?;
    put_role_namespaces_on_disk(view, &mut made)?;
    Ok(made)
}

/// A project as it was when rop last wrote its Cargo.toml: PROJECT may name another runtime since.
pub(crate) fn as_built(view: &View, project: &Project) -> Result<Project> {
    let manifest = view.read("Cargo.toml")?;
    Ok(project.as_built(&manifest.unwrap_or_default()))
}

/// What a project is to be, of which templates made `wanted`. `before` is what was made of it last: what is a user's in
/// a folder that is generated, and is there, is added to it. `new` is an output that the project may not have yet.
fn wanted(
    view: &View,
    project: &Project,
    mut wanted: Tree,
    before: &mut Tree,
    new: Option<&'static dyn Output>,
) -> Result<Tree> {
    external::put(view, project, true, &mut wanted)?;
    versions::follow(view, project, before, &mut wanted)?;
    round_trip::put_lists(view, project, before, &mut wanted)?;
    let sources = Sources::read(view, before, &wanted)?;
    put_role(&sources, project, &mut wanted)?;
    let mut folders = vec![webhook_folder(view, &sources, project)?];
    let manifests = Manifests::planned(project, view, [before, &wanted]);
    let new = new.filter(|new| !new.is_in(view));
    for output in output::of(view).chain(new) {
        folders.push(output.tree(&manifests)?);
    }
    for folder in folders {
        let is_given = |file: &&File| is_users(view, file) && before.get(file.path()).is_none();
        let given: Vec<_> = folder.files().filter(is_given).cloned().collect();
        for file in given {
            // One that nobody edited follows.
            let text = record::given(view, file.path())?;
            before.insert(match text {
                Some(text) => File::new(file.path(), file.ownership(), text),
                None => file,
            });
        }
        wanted.extend(folder);
    }
    Ok(wanted)
}

/// Whether a file of a folder that is generated is there, and its user's.
fn is_users(view: &View, file: &File) -> bool {
    file.ownership() == Ownership::Seeded && view.is_file(file.path())
}

/// Leaves out what is the user's by now.
pub(crate) fn leave_to_user(view: &View, folder: &mut Tree) {
    folder.retain(|file| !is_users(view, file));
}
