//! The one way from PROJECT to the files of a project: templates, then the role that their markers ask
//! for, then the folder `deploy/`.

use std::collections::BTreeSet;
use std::path::Path;

use walkdir::WalkDir;

use crate::disk::View;
use crate::error::Result;
use crate::manifest;
use crate::plan::{File, Ownership, Tree};
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

/// What a project is to be. `before` is what was made of it last. Where there is no folder `deploy/`
/// yet, `with_deploy_folder` makes one.
pub(crate) fn wanted(
    view: &View,
    project: &Project,
    before: &Tree,
    with_deploy_folder: bool,
) -> Result<Tree> {
    let mut wanted = template::render(project)?;
    wanted.insert(manifest::role(view, project, before, &wanted)?);
    if with_deploy_folder || manifest::has_deploy_folder(view) {
        wanted.extend(deploy_folder(view, project, before, &wanted)?);
    }
    Ok(wanted)
}

/// What the folder `deploy/` is to hold: rop's files as they should be, and those that are the user's, where
/// they are missing. CRDs, samples and sources are those on disk, with what `after` adds to `before`.
pub(crate) fn deploy_folder(
    view: &View,
    project: &Project,
    before: &Tree,
    after: &Tree,
) -> Result<Tree> {
    let (role, in_cluster) = manifest::deploy_role(view, project, before, after)?;
    let mut folder = template::render_deploy_folder(project, in_cluster)?;
    folder.extend(manifest::deploy_crds(view, project, before, after)?);
    folder.insert(role);
    folder.retain(|file| file.ownership() == Ownership::Owned || !view.is_file(file.path()));
    Ok(folder)
}

/// What is there of a project, as it was made: what is not in it is to be made again. So are files of
/// rop's, but for CRDs, which follow the types.
pub(crate) fn there(view: &View, project: &Project) -> Result<Tree> {
    let laid_out = project.as_laid_out(view);
    let known = made(view, &laid_out.present(view))?;
    let mut there = Tree::default();
    // The rest is made of it.
    there.insert(File::shared(FILE_NAME, project.to_text()?));
    for file in made(view, &laid_out)?.files() {
        let is_kept = file.ownership() != Ownership::Owned || manifest::is_crd(file.path());
        if is_kept && file.path() != FILE_NAME && view.is_file(file.path()) {
            there.insert(known.get(file.path()).unwrap_or(file).clone());
        }
    }
    Ok(there)
}

/// Says in `wanted` which of its files are elsewhere: `multigroup` of PROJECT decides where controllers are. What
/// their user has put beside them goes with them.
pub(crate) fn move_files(view: &View, project: &Project, wanted: &mut Tree) -> Result<()> {
    let laid_out = project.as_laid_out(view);
    if laid_out.multigroup == project.multigroup {
        return Ok(());
    }
    let mut known = BTreeSet::new();
    for (from, to) in template::pairs(&as_built(view, &laid_out)?, project)? {
        known.insert(from.path().to_owned());
        if from.path() != to.path() && view.is_file(from.path()) && !view.is_file(to.path()) {
            wanted.moves(to.path(), from);
        }
    }
    for resource in project.resources.iter().filter(|one| one.controller) {
        let [from, to] = [&laid_out, project].map(|project| project.controller(resource));
        for name in files(&view.root().join(&from)) {
            let [from, to] = [&from, &to].map(|folder| format!("{folder}/{name}"));
            if from == to || known.contains(&from) || view.is_file(&to) {
                continue;
            }
            if let Some(text) = view.read(&from)? {
                wanted.moves(&to, File::new(from, Ownership::Seeded, text.clone()));
                wanted.insert(File::new(to, Ownership::Seeded, text));
            }
        }
    }
    Ok(())
}

/// The files below a folder, relative to it and with `/` between the parts.
fn files(folder: &Path) -> Vec<String> {
    let entries = WalkDir::new(folder).sort_by_file_name().into_iter();
    let files = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file());
    let name = |entry: walkdir::DirEntry| {
        let path = entry.path().strip_prefix(folder).ok()?;
        let parts = path.iter().map(|part| part.to_str());
        Some(parts.collect::<Option<Vec<_>>>()?.join("/"))
    };
    files.filter_map(name).collect()
}
