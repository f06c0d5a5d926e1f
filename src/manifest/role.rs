use std::collections::BTreeMap;
use std::path::Path;

use walkdir::WalkDir;

use crate::error::{Context, Result};
use crate::plan::{Class, File, Tree};
use crate::project::Project;

use super::rbac::{self, Known, Options, OwnKind, Source};

/// Where the sources are that may hold markers.
const SOURCES: &str = "src";
const ROLE: &str = "config/rbac/role.yaml";

/// The role that the markers in the sources ask for.
///
/// The sources are those on disk, with what `after` adds to `before` over them: so the role of a
/// kind that is about to be made is known before a file of it is written. What the runtime needs is asked
/// for in the wiring of the controllers: its own sources may be anywhere.
pub fn role(root: &Path, project: &Project, before: &Tree, after: &Tree) -> Result<File> {
    let options = Options {
        role_name: "manager-role".to_owned(),
        namespaced: project.namespaced,
    };
    let text = text(root, project, before, after, &options)?;
    Ok(File::owned(ROLE, text))
}

/// The roles of the markers, as `options` says that they are written.
pub(super) fn text(
    root: &Path,
    project: &Project,
    before: &Tree,
    after: &Tree,
    options: &Options,
) -> Result<String> {
    let mut texts = on_disk(root)?;
    for file in after.files().filter(|file| is_source(file.path())) {
        if file.class() != Class::Seeded || before.get(file.path()).is_none() {
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

fn on_disk(root: &Path) -> Result<BTreeMap<String, String>> {
    let mut texts = BTreeMap::new();
    let folder = root.join(SOURCES);
    if !folder.is_dir() {
        return Ok(texts);
    }
    for entry in WalkDir::new(&folder) {
        let entry = entry.context(|| format!("failed to read `{}`", folder.display()))?;
        let relative = entry.path().strip_prefix(root).unwrap_or(entry.path());
        let path = relative.to_string_lossy().replace('\\', "/");
        if entry.file_type().is_file() && is_source(&path) {
            let text = std::fs::read_to_string(entry.path())
                .context(|| format!("failed to read `{path}`"))?;
            texts.insert(path, text);
        }
    }
    Ok(texts)
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
