//! The one way from PROJECT to the files of a project: templates, then the role that their markers ask
//! for, then the flat folder `deploy/`.

use crate::disk::View;
use crate::error::Result;
use crate::manifest;
use crate::plan::{Class, Tree};
use crate::project::{FILE_NAME, Project};
use crate::template;

/// What the templates made of a project last.
pub(crate) fn made(view: &View, project: &Project) -> Result<Tree> {
    template::render(&as_built(view, project)?)
}

/// A project as it was when rop last wrote its Cargo.toml: PROJECT may name another runtime since.
pub(crate) fn as_built(view: &View, project: &Project) -> Result<Project> {
    let manifest = view.read("Cargo.toml")?;
    Ok(project.as_built(&manifest.unwrap_or_default()))
}

/// What a project is to be. `before` is what was made of it last. Where there is no flat folder yet,
/// `with_flat` makes one.
pub(crate) fn wanted(
    view: &View,
    project: &Project,
    before: &Tree,
    with_flat: bool,
) -> Result<Tree> {
    let mut wanted = template::render(project)?;
    wanted.insert(manifest::role(view, project, before, &wanted)?);
    if with_flat || manifest::flat_is_used(view) {
        wanted.extend(manifest::flat(view, project, before, &wanted)?);
    }
    Ok(wanted)
}

/// What is there of a project, as it was made: what is not in it is to be made again. So are files of
/// rop's, but for CRDs, which follow the types.
pub(crate) fn there(view: &View, project: &Project) -> Result<Tree> {
    let known = made(view, &project.present(view))?;
    let mut there = Tree::default();
    for file in made(view, project)?.files() {
        let is_kept = file.class() != Class::Owned || manifest::is_crd(file.path());
        if is_kept && view.is_file(file.path()) {
            // PROJECT is what the rest is made of.
            let known = known.get(file.path()).filter(|_| file.path() != FILE_NAME);
            there.insert(known.unwrap_or(file).clone());
        }
    }
    Ok(there)
}
