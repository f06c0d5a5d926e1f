//! Templates, and the tree that they make of a project.

mod data;
mod engine;
mod filter;
mod lock;
mod path;
mod set;
#[cfg(test)]
mod tests;
mod versions;

pub(crate) use lock::locked_packages;

use crate::error::Result;
use crate::plan::{File, Tree};
use crate::project::{FILE_NAME, Project};
use engine::{Engine, Template};
use set::Set;
use versions::{VERSIONS, Versions};

/// The versions that generated projects are written for.
pub(crate) fn versions() -> Versions {
    VERSIONS
}

/// Renders every file of `project`: a pure function, the same for the same release.
pub fn render(project: &Project) -> Result<Tree> {
    let mut jobs = Vec::new();
    for set in Set::ALL {
        let instances = set.instances(project)?;
        if !instances.is_empty() {
            jobs.push((set, instances));
        }
    }
    let templates: Vec<Template> = engine::templates()
        .filter(|t| jobs.iter().any(|(set, _)| set.folder() == t.path.set))
        .collect();
    let engine = Engine::new(templates.iter())?;
    let mut tree = Tree::default();
    for (set, instances) in &jobs {
        for template in templates.iter().filter(|t| t.path.set == set.folder()) {
            for instance in instances {
                let text = engine.render(template, &instance.data)?;
                let path = template.path.expand(&instance.variables);
                let text = match &*path {
                    lock::FILE_NAME => lock::sort(&text),
                    _ => text,
                };
                tree.insert(File::new(path, template.path.class, text).licensed(project));
            }
        }
    }
    tree.insert(File::shared(FILE_NAME, project.to_text()?));
    Ok(tree)
}
