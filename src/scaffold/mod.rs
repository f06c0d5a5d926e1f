//! The one way from PROJECT to the files of a project: templates, then the role and the webhooks that
//! their markers ask for, then the outputs that the project has.

mod change;
mod external;
mod former;
mod last;
mod leftover;
mod migrations;
mod moved;
mod outputs;
mod renamed;
mod roles;
mod round_trip;
mod samples;
mod unlisted;
mod unwritten;
mod update;
mod versions;
mod webhooks;

use std::collections::BTreeSet;

use crate::disk::View;
use crate::error::Result;
use crate::manifest::Sources;
use crate::output::{self, Output};
use crate::plan::{File, Ownership, Tree};
use crate::project::Project;
use crate::project::layout::WEBHOOKS;
use crate::record::{self, Record};
use crate::template;

use last::Last;
use roles::role_namespaces_on_disk;
use webhooks::webhook_folder_on_disk;

pub use change::{Change, Missing};
pub(crate) use external::{external_types, unsure_fixtures};
pub(crate) use former::Former;
pub(crate) use leftover::{leftovers, links_out};
pub(crate) use outputs::add_with as add_outputs;
pub(crate) use roles::{add_role, add_role_namespaces_on_disk};
pub(crate) use webhooks::webhook_folder;

/// Whether another build than this one made a project, or a part of it.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn has_other_templates(view: &View, project: &Project) -> Result<bool> {
    if let Some(record) = Record::read(view)? {
        record.check(project)?;
        return Ok(record.has_other_templates());
    }
    Last::read(view, project, false)?.has_other_templates(view)
}

/// Fails if another release than this one made a project, or another build of it.
///
/// # Errors
/// One did, or a file cannot be read.
pub(crate) fn check_templates(view: &View, project: &Project) -> Result<()> {
    record::check_release(project, has_other_templates(view, project)?)
}

/// Renders the templates of a project, and adds the files on disk that are generated from its sources.
fn render(view: &View, project: &Project) -> Result<Tree> {
    complete(view, project, template::render(project)?)
}

/// Adds the files on disk that are generated from the sources to a rendered `tree`.
fn complete(view: &View, project: &Project, mut tree: Tree) -> Result<Tree> {
    external::add(view, project, false, &mut tree)?;
    add_role_namespaces_on_disk(view, &mut tree)?;
    Ok(tree)
}

/// A project as it was when rop last wrote its Cargo.toml: PROJECT may name another runtime since.
pub(crate) fn as_built(view: &View, project: &Project) -> Result<Project> {
    let manifest = view.read("Cargo.toml")?;
    Ok(project.as_built(&manifest.unwrap_or_default()))
}

/// The desired files of a project: the rendered templates in `desired`, and all that is generated from its sources.
/// `before` are the files as last generated; the user's files in generated folders are added to it. `new` is an output
/// that the project may not have yet.
fn desired(
    view: &View,
    project: &Project,
    mut desired: Tree,
    before: &mut Tree,
    new: Option<&'static dyn Output>,
) -> Result<Tree> {
    external::add(view, project, true, &mut desired)?;
    versions::update(view, project, before, &mut desired)?;
    round_trip::add_lists(view, project, before, &mut desired)?;
    samples::leave_out_deleted(view, before, &mut desired);
    let sources = Sources::read(view, before, &desired)?;
    add_role(&sources, project, &mut desired)?;
    let webhooks = webhook_folder(view, &sources, project)?;
    add_folder(view, webhooks, before, &mut desired)?;
    // Outputs have nothing of manifests that are deleted.
    let mut gone = role_namespaces_on_disk(view)?;
    if desired.get(WEBHOOKS).is_none() {
        gone.extend(webhook_folder_on_disk(view)?);
    }
    add_gone(gone, before, &desired);
    outputs::add(view, project, new, [before, &mut desired])?;
    Ok(desired)
}

/// Adds generated files that are no longer desired to those that were last generated.
fn add_gone(mut generated: Tree, before: &mut Tree, desired: &Tree) {
    let is_in = |tree: &Tree, file: &File| tree.get(file.path()).is_some();
    generated.retain(|file| !is_in(before, file) && !is_in(desired, file));
    before.extend(generated);
}

/// Adds a generated folder to the desired files, and the user's files in it to those that were last generated.
fn add_folder(view: &View, folder: Tree, before: &mut Tree, desired: &mut Tree) -> Result<()> {
    let mut given = given(view, &folder)?;
    given.retain(|file| before.get(file.path()).is_none());
    before.extend(given);
    desired.extend(folder);
    Ok(())
}

/// The files of a generated folder that the user may have edited, as they were last generated: one that nobody edited
/// is updated, one that was deleted stays deleted, and one of the user's of which nothing is recorded stays.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn given(view: &View, folder: &Tree) -> Result<Tree> {
    let mut given = Tree::default();
    for file in folder.files() {
        let is_given = match file.ownership() {
            Ownership::Seeded => true,
            Ownership::Shared => view.is_file(file.path()),
            Ownership::Owned | Ownership::Vendored | Ownership::Recorded => false,
        };
        let text = match file.ownership() {
            _ if !is_given => None,
            Ownership::Shared => output::base(view, file)?,
            _ => record::given(view, file.path())?,
        };
        match text {
            Some(text) => given.insert(File::new(file.path(), file.ownership(), text)),
            None if is_users_file(view, file) => given.insert(file.clone()),
            None => {}
        }
    }
    Ok(given)
}

/// Whether a file in a generated folder exists and belongs to the user.
fn is_users_file(view: &View, file: &File) -> bool {
    file.ownership() == Ownership::Seeded && view.is_file(file.path())
}

/// Leaves out the files that belong to the user, and those that the user deleted from a folder that exists.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn leave_to_user(view: &View, folder: &mut Tree, exists: bool) -> Result<()> {
    let mut users = BTreeSet::new();
    for file in folder
        .files()
        .filter(|file| file.ownership() == Ownership::Seeded)
    {
        let path = file.path();
        if view.is_file(path) || exists && record::given(view, path)?.is_some() {
            users.insert(path.to_owned());
        }
    }
    folder.retain(|file| !users.contains(file.path()));
    Ok(())
}
