//! From what is there of a project to what PROJECT lists.

use std::collections::BTreeSet;
use std::path::Path;

use walkdir::WalkDir;

use crate::disk::View;
use crate::error::Result;
use crate::manifest;
use crate::plan::{File, Ownership, Tree};
use crate::project::layout::{ROLE_TRANSFORMERS, WEBHOOKS};
use crate::project::{FILE_NAME, Project};
use crate::template;

use super::controllers::removed_controllers;
use super::external::removed_external;
use super::found::Found;
use super::removed::removed;
use super::roles::role_namespaces_on_disk;
use super::webhooks::webhook_folder_on_disk;
use super::{as_built, made, wanted};

/// What is there of a project, as it was made, and what it is to be. What PROJECT lists and the project lacks is in
/// the second alone, and so are files of rop's, but for CRDs, which follow the types; what is of a kind that PROJECT
/// lists no more is in the first alone.
pub(crate) fn regenerated(view: &View, project: &Project) -> Result<(Tree, Tree)> {
    let laid_out = project.as_laid_out(view);
    let listed = made(view, &laid_out)?;
    let removed = removed(view, &laid_out, &listed)?;
    let mut with_kinds = laid_out.clone();
    with_kinds.resources.own.extend(removed.iter().cloned());
    let external = removed_external(view, &with_kinds)?;
    with_kinds.resources.core.extend(external.iter().cloned());
    let controllers = removed_controllers(view, &with_kinds)?;
    let with_removed = |mut project: Project| {
        project.resources.own.extend(removed.iter().cloned());
        project.resources.core.extend(external.iter().cloned());
        for controller in &controllers {
            controller.add_to(&mut project);
        }
        project
    };
    let found = Found::look(view, &with_removed(laid_out.clone()))?;
    let known = made(view, &found.alone(with_removed(laid_out.present(view))))?;
    let (mut before, mut gone) = (Tree::default(), BTreeSet::new());
    // The rest is made of it.
    before.insert(File::shared(FILE_NAME, project.to_text()?));
    let ever = found.added_to(with_removed(laid_out.clone()));
    let all = match ever == laid_out {
        true => listed.clone(),
        false => made(view, &ever)?,
    };
    for file in all.files() {
        let path = file.path();
        let is_gone = listed.get(path).is_none();
        let is_kept = file.ownership() != Ownership::Owned || manifest::is_crd(path);
        if (is_gone || is_kept) && path != FILE_NAME && view.is_file(path) {
            before.insert(known.get(path).unwrap_or(file).clone());
        }
        if is_gone {
            gone.insert(path.to_owned());
        }
    }
    if manifest::has_deploy_folder(view) {
        let mut removed_only = laid_out.clone();
        removed_only.resources.own.clone_from(&removed);
        let nothing = Tree::default();
        before.extend(manifest::deploy_crds(
            view,
            &removed_only,
            &nothing,
            &nothing,
        )?);
    }
    if laid_out.multigroup != project.multigroup {
        for kind in laid_out.webhook_kinds() {
            gone.extend(kind.sorts().map(|sort| kind.source(sort)));
        }
    }
    // Markers in what goes ask for nothing.
    let mut after = wanted(&view.without(&gone)?, project, &before, false)?;
    if manifest::has_deploy_folder(view) {
        let nothing = Tree::default();
        let mut policies = manifest::deploy_policies(view, &ever, &nothing, &nothing)?;
        policies.retain(|file| after.get(file.path()).is_none());
        before.extend(policies);
    }
    if after.get(ROLE_TRANSFORMERS).is_none() {
        before.extend(role_namespaces_on_disk(view)?);
    }
    if after.get(WEBHOOKS).is_none() {
        before.extend(webhook_folder_on_disk(view)?);
    }
    move_files(view, &laid_out, project, &mut after)?;
    Ok((before, after))
}

/// Says in `wanted` which of its files are elsewhere, as `laid_out` has them: `multigroup` of PROJECT decides where
/// controllers are. What their user has put beside them goes with them.
fn move_files(view: &View, laid_out: &Project, project: &Project, wanted: &mut Tree) -> Result<()> {
    if laid_out.multigroup == project.multigroup {
        return Ok(());
    }
    let mut known = BTreeSet::new();
    for (from, to) in template::pairs(&as_built(view, laid_out)?, project)? {
        known.insert(from.path().to_owned());
        if from.path() != to.path() && view.is_file(from.path()) && !view.is_file(to.path()) {
            wanted.moves(to.path(), from);
        }
    }
    let controllers = laid_out.controllers().into_iter();
    let controllers = controllers.zip(project.controllers());
    let controllers = controllers.map(|(from, to)| [from.source(), to.source()]);
    let webhooks = laid_out
        .webhook_kinds()
        .into_iter()
        .zip(project.webhook_kinds());
    let webhooks = webhooks.map(|(from, to)| [from.folder(), to.folder()]);
    for [from, to] in controllers.chain(webhooks) {
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
