use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::Path;

use walkdir::WalkDir;

use crate::disk::View;
use crate::error::{Context, Result};
use crate::plan::{File, Ownership, Tree};
use crate::project::Project;
use crate::project::layout::{ROLE, SOURCES};

use super::marker::Source;
use super::rbac::{self, Known, Options, OwnKind};

/// The role that the markers in the sources ask for.
///
/// The sources are those on disk, with what `after` adds to `before` over them: so the role of a
/// kind that is about to be made is known before a file of it is written. What the runtime needs is asked
/// for in the wiring of the controllers: its own sources may be anywhere.
pub fn role(view: &View, project: &Project, before: &Tree, after: &Tree) -> Result<File> {
    let options = Options {
        role_name: "manager-role".to_owned(),
        namespaced: project.namespaced,
    };
    let text = text(view, project, before, after, &options)?;
    Ok(File::owned(ROLE, text))
}

/// The roles of the markers, as `options` says that they are written.
pub(super) fn text(
    view: &View,
    project: &Project,
    before: &Tree,
    after: &Tree,
    options: &Options,
) -> Result<String> {
    let mut texts = sources(view)?;
    for file in after.files().filter(|file| is_source(file.path())) {
        if file.ownership() != Ownership::Seeded || before.get(file.path()).is_none() {
            texts.insert(file.path().to_owned(), file.text().to_owned());
        }
    }
    let sources: Vec<Source<'_>> = texts
        .iter()
        .map(|(path, text)| Source { path, text })
        .collect();
    rbac::roles(&sources, &known(project)?, options)
}

fn is_source(path: &str) -> bool {
    path.starts_with("src/") && path.ends_with(".rs")
}

/// The Rust sources of the project by path, those behind links too: rustc compiles them.
fn sources(view: &View) -> Result<BTreeMap<String, String>> {
    let mut texts = BTreeMap::new();
    let folder = view.root().join(SOURCES);
    for entry in WalkDir::new(&folder).follow_links(true) {
        let entry = match entry {
            Err(e) if leads_nowhere(&e) => continue,
            entry => entry.context(|| format!("failed to read `{}`", folder.display()))?,
        };
        let path = relative(entry.path().strip_prefix(view.root()).unwrap_or(&folder));
        if entry.file_type().is_file() && is_source(&path) {
            let failed = || format!("failed to read `{path}`");
            let resolved = entry.path().canonicalize().context(failed)?;
            match view.read_resolved(&resolved) {
                Err(e) if e.kind() == ErrorKind::NotFound => {}
                text => drop(texts.insert(path.clone(), text.context(failed)?)),
            }
        }
    }
    let added = view.added().map(|(path, text)| (relative(path), text));
    for (path, text) in added.filter(|(path, _)| is_source(path)) {
        texts.insert(path, text.to_owned());
    }
    Ok(texts)
}

/// Whether the walk came upon no folder, a dangling link, or one to a folder above it.
fn leads_nowhere(error: &walkdir::Error) -> bool {
    let is_missing = |e: &io::Error| e.kind() == ErrorKind::NotFound;
    error.loop_ancestor().is_some() || error.io_error().is_some_and(is_missing)
}

fn relative(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// The kinds of the project, which markers are checked against.
fn known(project: &Project) -> Result<Known> {
    let own = project
        .resources
        .iter()
        .filter(|r| r.api.is_some())
        .map(|resource| {
            Ok(OwnKind {
                group: resource.api_group()?.to_string(),
                kind: resource.kind.to_string(),
                plural: resource.plural.to_string(),
                namespaced: resource.is_namespaced(),
            })
        });
    Ok(Known {
        own: own.collect::<Result<_>>()?,
    })
}
