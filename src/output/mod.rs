//! What is made of a project's manifests for who installs its operator otherwise than with `rop deploy`: a file for
//! each.

mod api_reference;
mod chart;
mod deploy_folder;
mod installer;
mod manifests;

use crate::disk::View;
use crate::error::Result;
use crate::objects::Objects;
use crate::plan::Tree;
use crate::project::Project;

pub use api_reference::ApiReference;
pub use chart::{Chart, Crds, Package};
pub use deploy_folder::DeployFolder;
pub use installer::Installer;
pub use manifests::Manifests;

/// All that can be made. Other commands than its own know an output by this list alone.
const ALL: [&dyn Output; 4] = [&ApiReference, &Chart, &DeployFolder, &Installer];

/// Something that is made of a project's manifests.
pub trait Output {
    /// The file or folder, as a report names it.
    fn name(&self) -> &'static str;

    /// The command that generates it, such as `generate deploy`.
    fn command(&self) -> &'static str;

    /// Whether the project in `view` has it.
    fn is_in(&self, view: &View) -> bool;

    /// What it is to hold. One that is made of what kustomize renders is empty where that is not known yet: it stays
    /// as it is until its own command makes it.
    ///
    /// # Errors
    /// A manifest or a source of the project cannot be read.
    fn tree(&self, manifests: &Manifests<'_>) -> Result<Tree>;

    /// What kustomize renders, with what the flags of its command set last, if it is made of that.
    ///
    /// # Errors
    /// The manifests cannot be rendered, or what is there cannot be read.
    fn rendered(
        &self,
        _view: &View,
        _render: &dyn Fn() -> Result<Objects>,
    ) -> Result<Option<Objects>> {
        Ok(None)
    }

    /// What is there of it that was made of `last`, for commands that keep it in line: what they do not make any more
    /// goes.
    ///
    /// # Errors
    /// A file cannot be read.
    fn generated(&self, _view: &View, _last: &Project) -> Result<Tree> {
        Ok(Tree::default())
    }

    /// What who uses it has to know, where the project is this one.
    fn note(&self, _project: &Project) -> Option<&'static str> {
        None
    }
}

/// The names of all.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ALL.into_iter().map(Output::name)
}

/// Those that the project in `view` has.
pub fn of(view: &View) -> impl Iterator<Item = &'static dyn Output> {
    ALL.into_iter().filter(|output| output.is_in(view))
}

/// What is there of all of them, as it was made of `last`: also the rest of one that the project has no more.
///
/// # Errors
/// As [`Output::generated`].
pub(crate) fn generated(view: &View, last: &Project) -> Result<Tree> {
    let mut tree = Tree::default();
    for output in ALL {
        tree.extend(output.generated(view, last)?);
    }
    Ok(tree)
}
