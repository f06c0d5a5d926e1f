//! The folder `config/webhook`: what the markers in a project's code ask for.

use crate::disk::View;
use crate::error::Result;
use crate::manifest::{self, Sources};
use crate::plan::{File, Tree, without_header};
use crate::project::layout::WEBHOOKS;
use crate::project::{ManagerContainer, Project, manager_container};
use crate::template;

/// What `config/webhook` is to hold, if the sources declare webhooks.
pub(crate) fn webhook_folder(view: &View, sources: &Sources, project: &Project) -> Result<Tree> {
    let Some(webhooks) = manifest::webhooks(view, sources, project)? else {
        return Ok(Tree::default());
    };
    let container = manager_container(view)?.unwrap_or_default();
    let mut folder =
        template::render_webhook_folder(webhooks.kinds, &webhooks.converted, container)?;
    folder.insert(File::owned(WEBHOOKS, webhooks.manifest));
    Ok(folder)
}

/// What is there of `config/webhook`, where rop made it.
pub(super) fn webhook_folder_on_disk(view: &View) -> Result<Tree> {
    let mut folder = Tree::default();
    if let Some(text) = view.read(WEBHOOKS)?.filter(|text| is_rops(text)) {
        let container = ManagerContainer::default();
        folder.extend(template::render_webhook_folder(Vec::new(), &[], container)?);
        folder.insert(File::owned(WEBHOOKS, text));
        folder.retain(|file| view.is_file(file.path()));
    }
    Ok(folder)
}

/// Whether a file has rop's header.
pub(super) fn is_rops(text: &str) -> bool {
    without_header(text) != text
}
