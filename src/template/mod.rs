//! Templates, and the tree that they make of a project.

mod common;
mod dropped;
mod embedded;
mod engine;
mod filter;
mod fixtures;
mod former;
mod license;
mod lock;
mod path;
mod sets;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};

use serde::Serialize;

use embedded::runtime;

use crate::conversion;
use crate::error::{Error, Result};
use crate::plan::{File, Ownership, Tree, is_rust};
use crate::project::layout::CRD_BASES;
use crate::project::{Conversion, FILE_NAME, ManagerContainer, Project, ProjectKind, Runtime};
use crate::rustfmt;
use common::Common;
pub(crate) use common::ProjectData;
pub(crate) use dropped::dropped;
use engine::Engine;
pub(crate) use former::former;
use sets::{MigratedKind, WebhookConfigData};

/// Reads the templates, which the first rendering would have to wait for.
pub(crate) fn read() {
    Engine::get();
}

/// Unpacks the library, which a new project would have to wait for.
pub(crate) fn unpack_library() {
    embedded::unpack_runtime();
}

/// Renders every file of `project`: a pure function, the same for the same release.
pub fn render(project: &Project) -> Result<Tree> {
    let mut tree = Tree::default();
    for file in rendered(project)? {
        tree.insert(file);
    }
    if project.runtime == Runtime::Vendored {
        tree.extend(runtime().clone());
    } else if let Some(folder) = project.runtime.folder() {
        tree.leave(folder);
    }
    tree.insert(File::shared(FILE_NAME, project.to_text()?));
    Ok(tree)
}

/// The files that templates make of a project, each with what they make of `other`, which lists the same kinds.
pub(crate) fn pairs(project: &Project, other: &Project) -> Result<Vec<(File, File)>> {
    let pairs = rendered(project)?.into_iter().zip(rendered(other)?);
    Ok(pairs.collect())
}

/// The code that converts objects between two versions, for the types that `read` finds. Nothing if those of one of
/// them are not there.
pub(crate) fn convert(
    project: &Project,
    conversion: Conversion<'_>,
    read: conversion::Read<'_>,
) -> Result<Option<File>> {
    let [older, newer] = conversion.versions();
    for version in [older, newer] {
        if read(&version.types_file())?.is_none() && read(&version.types_in_folder())?.is_none() {
            return Ok(None);
        }
    }
    let versions = conversion::Versions {
        kind: newer.kind.name.as_str(),
        group: &newer.kind.group.module(),
        module: &newer.kind.name.module(),
        older: older.version.name.as_str(),
        newer: newer.version.name.as_str(),
        conversion: &conversion.module(),
    };
    let generated = conversion::source(versions, read)?;
    let path = conversion.source();
    let source = license::add(project, generated);
    Ok(Some(File::new(path, Ownership::Seeded, source)))
}

/// The files that templates make, in the order of templates and kinds.
fn rendered(project: &Project) -> Result<Vec<File>> {
    rendered_by(Engine::get(), project, Err)
}

/// As [`rendered`], by the templates of an engine. `failed` is told of one that cannot be rendered, which is left out if
/// that is no error.
fn rendered_by(
    engine: &Engine,
    project: &Project,
    failed: impl Fn(Error) -> Result<()>,
) -> Result<Vec<File>> {
    let common = Common::new(project);
    let mut files = Vec::new();
    // All versions of a kind have one CRD, which is that of the first here.
    let mut crds = BTreeSet::new();
    for set in sets::all() {
        let instances = set
            .instances(&common)?
            .into_iter()
            .map(|instance| Ok((instance.variables, engine::context(&instance.data)?)))
            .collect::<Result<Vec<_>>>()?;
        for template in engine.templates(&set.folder()) {
            for (variables, data) in &instances {
                let path = template.path.expand(variables);
                if path.starts_with(CRD_BASES) && !crds.insert(path.clone()) {
                    continue;
                }
                let rendered = match engine.render(template, data) {
                    Ok(text) => text,
                    Err(error) => {
                        failed(error)?;
                        continue;
                    }
                };
                let text = match &*path {
                    lock::FILE_NAME => lock::resolve(&rendered, project),
                    path if is_rust(path) => license::add(project, rustfmt::break_lines(&rendered)),
                    _ => rendered,
                };
                files.push(File::new(path, template.path.ownership, text));
            }
        }
    }
    let conversions = {
        let texts: HashMap<&str, &str> = files
            .iter()
            .map(|file| (file.path(), file.text()))
            .collect();
        let read = |path: &str| Ok(texts.get(path).map(|text| (*text).to_owned()));
        let conversions = project
            .conversions()
            .map(|conversion| convert(project, conversion, &read));
        conversions.collect::<Result<Vec<_>>>()?
    };
    files.extend(conversions.into_iter().flatten());
    Ok(files)
}

/// The files of `config/webhook` that templates make: all but the configurations themselves. `kinds` are those of
/// the configurations: `mutating`, `validating`. `converted` are those whose objects are converted.
/// `container` is the one that is the operator.
pub(crate) fn render_webhook_folder(
    kinds: Vec<&'static str>,
    converted: &[ProjectKind],
    container: ManagerContainer,
) -> Result<Tree> {
    let data = WebhookConfigData {
        kinds,
        converted: converted.iter().map(MigratedKind::of).collect(),
        container,
    };
    render_folder("webhook/config", &data)
}

/// A set that is rendered by itself: once for each project that has what it makes.
pub(crate) fn render_folder(set: &str, data: &impl Serialize) -> Result<Tree> {
    let (engine, data) = (Engine::of(set), engine::context(data)?);
    let mut tree = Tree::default();
    for template in engine.templates(set) {
        let text = engine.render(template, &data)?;
        let path = template.path.destination;
        tree.insert(File::new(path, template.path.ownership, text));
    }
    Ok(tree)
}
