//! Templates, and the tree that they make of a project.

mod data;
mod embedded;
mod engine;
mod filter;
mod fixtures;
mod license;
mod lock;
mod path;
mod set;
#[cfg(test)]
mod tests;

use serde::Serialize;

use embedded::runtime;

use crate::error::Result;
use crate::plan::{File, Tree};
use crate::project::{FILE_NAME, Project, Runtime};
use data::{DeployFolderData, WebhookConfigData};
use engine::Engine;
use set::Set;

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

/// The files that templates make, in the order of templates and kinds.
fn rendered(project: &Project) -> Result<Vec<File>> {
    let engine = Engine::get()?;
    let mut files = Vec::new();
    for set in Set::all() {
        let instances = set.instances(project)?;
        for template in engine.templates(&set.folder()) {
            for instance in &instances {
                let path = template.path.expand(&instance.variables);
                let text = engine.render(template, &instance.data)?;
                let text = match &*path {
                    lock::FILE_NAME => lock::resolve(&text, project),
                    _ => license::put(project, &path, text),
                };
                files.push(File::new(path, template.path.ownership, text));
            }
        }
    }
    Ok(files)
}

/// The files of the folder `deploy/` that templates make: once for each project that asks for
/// them. `in_cluster` says whether the operator's role is one of the cluster.
pub fn render_deploy_folder(project: &Project, in_cluster: bool) -> Result<Tree> {
    render_folder("deploy-folder", &DeployFolderData::new(project, in_cluster))
}

/// The files of `config/webhook` that templates make: all but the configurations themselves. `kinds` are those of
/// the configurations: `mutating`, `validating`.
pub(crate) fn render_webhook_folder(kinds: Vec<&'static str>) -> Result<Tree> {
    render_folder("webhook/config", &WebhookConfigData { kinds })
}

/// A set that is rendered for itself.
fn render_folder(set: &str, data: &impl Serialize) -> Result<Tree> {
    let engine = Engine::get()?;
    let mut tree = Tree::default();
    for template in engine.templates(set) {
        let text = engine.render(template, data)?;
        let path = template.path.destination;
        tree.insert(File::new(path, template.path.ownership, text));
    }
    Ok(tree)
}
