//! The role of the markers, and the folder that keeps its parts in the namespaces that markers name.

use crate::disk::View;
use crate::error::Result;
use crate::manifest::{self, Sources};
use crate::plan::{File, Tree, without_header};
use crate::project::Project;
use crate::project::layout::{DEFAULT_KUSTOMIZATION, ROLE_NAMESPACES, ROLE_TRANSFORMERS};

use super::webhooks::is_rops;

/// The folder, seen from the kustomization that is deployed.
const TRANSFORMERS: &str = "transformers:\n- ../rbac/namespaces\n";

/// Adds the role of the markers to what a project is to be.
///
/// # Errors
/// As [`manifest::role`].
pub(crate) fn add_role(sources: &Sources, project: &Project, desired: &mut Tree) -> Result<()> {
    desired.extend(manifest::role(sources, project)?);
    list_transformers(desired);
    Ok(())
}

/// Adds what is there of the folder to what was made of a project last.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn add_role_namespaces_on_disk(view: &View, tree: &mut Tree) -> Result<()> {
    tree.extend(role_namespaces_on_disk(view)?);
    list_transformers(tree);
    Ok(())
}

/// What is there of the folder, where rop made it.
pub(super) fn role_namespaces_on_disk(view: &View) -> Result<Tree> {
    let mut folder = Tree::default();
    for path in [
        ROLE_TRANSFORMERS,
        &format!("{ROLE_NAMESPACES}/kustomization.yaml"),
    ] {
        if let Some(text) = view.read(path)?.filter(|text| is_rops(text)) {
            folder.insert(File::owned(path, without_header(&text).to_owned()));
        }
    }
    Ok(folder)
}

/// Lists the folder in the kustomization that is deployed, if the tree has it. A tree without that
/// kustomization gets as much of it as an edit needs.
fn list_transformers(tree: &mut Tree) {
    let mut text = tree
        .get(DEFAULT_KUSTOMIZATION)
        .map_or("kind: Kustomization\n", File::text)
        .to_owned();
    if tree.get(ROLE_TRANSFORMERS).is_some() {
        text += TRANSFORMERS;
    }
    tree.replace(File::shared(DEFAULT_KUSTOMIZATION, text));
}
