//! What is made of a project's manifests for who installs its operator otherwise than with `rop deploy`: a file for
//! each.

mod api_reference;
mod chart;
mod deploy_folder;
mod installer;
mod manifests;
mod monitoring;

use crate::disk::View;
use crate::error::Result;
use crate::objects::Objects;
use crate::plan::{File, Ownership, Tree, is_headed, without_header};
use crate::project::Project;
use crate::record::Record;

pub use api_reference::ApiReference;
pub use chart::{Chart, Crds, Package};
pub use deploy_folder::DeployFolder;
pub use installer::Installer;
pub use manifests::Manifests;
use manifests::Renderer;
pub use monitoring::Monitoring;

/// All that can be made, in the order in which it is made: the chart has the dashboards. Other commands than its own know
/// an output by this list alone.
const ALL: [&dyn Output; 5] = [
    &ApiReference,
    &Monitoring,
    &Chart,
    &DeployFolder,
    &Installer,
];

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
    /// A manifest or a source of the project cannot be read. Other commands leave an output as it is if its manifests
    /// cannot be rendered in memory (`KustomizeFailed`).
    fn tree(&self, manifests: &Manifests<'_>) -> Result<Tree>;

    /// Checks that other commands than its own can update these files.
    ///
    /// # Errors
    /// One was edited (`FilesInTheWay`): they leave the output as it is.
    fn check_edits(&self, _view: &View, _tree: &Tree) -> Result<()> {
        Ok(())
    }

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

    /// The flags that its command was run with, each with its value, if the result differs from one without them.
    ///
    /// # Errors
    /// As [`Self::rendered`].
    fn flags(
        &self,
        _view: &View,
        _render: &dyn Fn() -> Result<Objects>,
    ) -> Result<Vec<(&'static str, String)>> {
        Ok(Vec::new())
    }

    /// Whether only its own command generates it.
    fn is_separate(&self) -> bool {
        false
    }

    /// What is there of it that was made of `last`, for commands that keep it in line: what they do not make any more
    /// goes.
    ///
    /// # Errors
    /// A file cannot be read.
    fn generated(&self, _view: &View, _last: &Project) -> Result<Tree> {
        Ok(Tree::default())
    }

    /// The files that are out of date and that only the user can update, each with what is wrong.
    ///
    /// # Errors
    /// A file cannot be read.
    fn outdated(&self, _view: &View, _project: &Project) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// What who uses it has to know, where the project is this one.
    fn note(&self, _project: &Project) -> Option<&'static str> {
        None
    }
}

/// The names of all outputs.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ALL.into_iter().map(Output::name)
}

/// Those that the project in `view` has.
pub fn of(view: &View) -> impl Iterator<Item = &'static dyn Output> {
    ALL.into_iter().filter(|output| output.is_in(view))
}

/// Those that the record lists and the project no longer has: somebody deleted their files, or the first line of one,
/// which says that rop generated it.
///
/// # Errors
/// The record cannot be read.
pub(crate) fn lost(view: &View) -> Result<Vec<&'static dyn Output>> {
    let record = Record::read(view)?;
    let is_recorded = |output: &dyn Output| {
        let is_its = |path: &str| {
            let rest = path.strip_prefix(output.name());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let mut files = record.iter().flat_map(Record::files);
        files.any(|(path, ownership)| ownership == Ownership::Owned && is_its(path))
    };
    let outputs = ALL.into_iter();
    Ok(outputs
        .filter(|output| !output.is_in(view) && is_recorded(*output))
        .collect())
}

/// Like [`of`], with one that the project may not have yet.
pub(crate) fn with(
    view: &View,
    new: Option<&dyn Output>,
) -> impl Iterator<Item = &'static dyn Output> {
    let is_new = move |output: &dyn Output| new.is_some_and(|new| new.name() == output.name());
    ALL.into_iter()
        .filter(move |output| is_new(*output) || output.is_in(view))
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

/// The files and folders of outputs that only their own commands update, by the paths in the record: those at another path
/// than the default one, and what is left of those that the project in `view` does not have.
pub(crate) fn left_to_commands<'a>(
    view: &View,
    recorded: impl Iterator<Item = &'a str>,
) -> Vec<String> {
    let absent = ALL.into_iter().filter(|output| !output.is_in(view));
    let absent = absent.map(|output| output.name().to_owned());
    absent.chain(chart::elsewhere(view, recorded)).collect()
}

/// The text that a merge of an output's shared file takes as the one that rop gave last.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn base(view: &View, file: &File) -> Result<Option<String>> {
    chart::base(view, file)
}

/// Of these files, those that have the header of what rop writes and rewrites.
///
/// # Errors
/// One cannot be read.
fn headed(view: &View, paths: impl IntoIterator<Item = String>) -> Result<Tree> {
    let mut tree = Tree::default();
    for path in paths {
        let text = view.read(&path)?.unwrap_or_default();
        if is_headed(&path, &text) {
            tree.insert(File::owned(path, without_header(&text).to_owned()));
        }
    }
    Ok(tree)
}
