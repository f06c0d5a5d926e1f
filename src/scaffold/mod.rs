//! The one way from PROJECT to the files of a project: templates, then the role and the webhooks that
//! their markers ask for, then the folder `deploy/`.

mod controllers;
mod external;
mod found;
mod regenerate;
mod removed;
mod roles;
mod versions;
mod webhooks;

use crate::disk::View;
use crate::error::Result;
use crate::manifest::{self, Sources};
use crate::plan::{Ownership, Tree};
use crate::project::Project;
use crate::template;

pub(crate) use external::{external_types, unsure_fixtures};
pub(crate) use regenerate::regenerated;
pub(crate) use roles::{put_role, put_role_namespaces_on_disk};
pub(crate) use webhooks::webhook_folder;

/// What the templates made of a project last.
pub(crate) fn made(view: &View, project: &Project) -> Result<Tree> {
    let mut made = template::render(&as_built(view, project)?)?;
    external::put(view, project, false, &mut made)?;
    put_role_namespaces_on_disk(view, &mut made)?;
    Ok(made)
}

/// A project as it was when rop last wrote its Cargo.toml: PROJECT may name another runtime since.
pub(crate) fn as_built(view: &View, project: &Project) -> Result<Project> {
    let manifest = view.read("Cargo.toml")?;
    Ok(project.as_built(&manifest.unwrap_or_default()))
}

/// What a project is to be. `before` is what was made of it last. Where there is no folder `deploy/`
/// yet, `with_deploy_folder` makes one.
pub(crate) fn wanted(
    view: &View,
    project: &Project,
    before: &Tree,
    with_deploy_folder: bool,
) -> Result<Tree> {
    let mut wanted = template::render(project)?;
    external::put(view, project, true, &mut wanted)?;
    versions::follow(view, project, &mut wanted)?;
    let sources = Sources::read(view, before, &wanted)?;
    put_role(&sources, project, &mut wanted)?;
    wanted.extend(webhook_folder(view, &sources, project)?);
    if with_deploy_folder || manifest::has_deploy_folder(view) {
        wanted.extend(deploy_folder(view, &sources, project, before, &wanted)?);
    }
    Ok(wanted)
}

/// What the folder `deploy/` is to hold: rop's files as they should be, and those that are the user's, where
/// they are missing. CRDs and samples are those on disk, with what `after` adds to `before`.
pub(crate) fn deploy_folder(
    view: &View,
    sources: &Sources,
    project: &Project,
    before: &Tree,
    after: &Tree,
) -> Result<Tree> {
    let (roles, in_cluster) = manifest::deploy_roles(sources, project)?;
    let mut folder = template::render_deploy_folder(project, in_cluster)?;
    folder.extend(manifest::deploy_crds(view, project, before, after)?);
    folder.extend(manifest::deploy_policies(view, project, before, after)?);
    folder.extend(roles);
    folder.retain(|file| file.ownership() == Ownership::Owned || !view.is_file(file.path()));
    Ok(folder)
}
