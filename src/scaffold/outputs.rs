//! The outputs of a project, which follow its manifests. One that cannot be updated stays as it is.

use crate::disk::View;
use crate::error::{Code, Error, Result};
use crate::output::{self, Manifests, Output};
use crate::plan::{self, File, Ownership, Tree, is_headed};
use crate::project::Project;
use crate::record::{self, Record};

use super::last::{Last, on_disk};
use super::{add_folder, add_gone};

/// Adds the outputs of a project to the desired files, and the user's files in them to those that were last generated.
/// `new` is an output that the project may not have yet.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn add(
    view: &View,
    project: &Project,
    new: Option<&'static dyn Output>,
    trees: [&mut Tree; 2],
) -> Result<()> {
    add_each(view, project, output::with(view, new), None, trees)
}

/// Like [`add`], with an output whose files the caller has generated.
///
/// # Errors
/// As [`add`].
pub(crate) fn add_with(
    view: &View,
    project: &Project,
    generated: Option<(&'static dyn Output, &Tree)>,
    trees: [&mut Tree; 2],
) -> Result<()> {
    let outputs = output::with(view, generated.map(|(output, _)| output));
    add_each(view, project, outputs, generated, trees)
}

fn add_each(
    view: &View,
    project: &Project,
    outputs: impl Iterator<Item = &'static dyn Output>,
    generated: Option<(&'static dyn Output, &Tree)>,
    [before, desired]: [&mut Tree; 2],
) -> Result<()> {
    for output in outputs {
        let manifests = Manifests::planned(project, view, [before, desired]);
        let tree = match generated {
            Some((generated, tree)) if generated.name() == output.name() => Ok(tree.clone()),
            _ => output.tree(&manifests).and_then(|tree| {
                output.check_edits(view, &tree)?;
                Ok(tree)
            }),
        };
        match tree {
            Ok(folder) => add_folder(view, folder, before, desired)?,
            Err(error)
                if [Code::KustomizeFailed, Code::FilesInTheWay].contains(&error.code())
                    // The plan lists all conflicts, if one of them stops it.
                    || !plan::in_conflict(view, desired)?.is_empty() =>
            {
                keep(view, output, project, &error, [before, desired])?;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Adds the last files of outputs that are no longer desired to `before`; and those of outputs that only their own
/// commands update, the same to both trees.
///
/// # Errors
/// A file cannot be read.
pub(super) fn add_last(view: &View, last: &Last, [before, after]: [&mut Tree; 2]) -> Result<()> {
    add_gone(output::generated(view, &last.project)?, before, after);
    let folders = output::left_to_commands(view, last.files().map(|(path, _)| path));
    let is_others = |path: &str| {
        let rest = |folder: &String| path.strip_prefix(folder.as_str());
        let mut rests = folders.iter().filter_map(rest);
        rests.any(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    for (path, ownership) in last.files().filter(|(path, _)| is_others(path)) {
        if before.get(path).is_some() || after.get(path).is_some() || !view.is_file(path) {
            continue;
        }
        let text = match ownership {
            Ownership::Owned => on_disk(view, path)?.filter(|text| is_headed(path, text)),
            _ => record::given(view, path)?,
        };
        if let Some(text) = text {
            let file = File::on_disk(path, ownership, text);
            before.insert(file.clone());
            after.insert(file);
        }
    }
    Ok(())
}

/// Leaves an output as it is: the files are the same before and after.
fn keep(
    view: &View,
    output: &dyn Output,
    project: &Project,
    error: &Error,
    [before, desired]: [&mut Tree; 2],
) -> Result<()> {
    let mut kept = output.generated(view, project)?;
    let record = Record::read(view)?;
    let recorded = record.iter().flat_map(Record::files);
    for (path, ownership) in recorded.filter(|(path, _)| path.starts_with(output.name())) {
        if let Some(text) = record::given(view, path)? {
            kept.insert(File::new(path, ownership, text));
        }
    }
    desired.extend(kept.clone());
    kept.retain(|file| before.get(file.path()).is_none());
    before.extend(kept);
    if error.code() == Code::KustomizeFailed {
        desired.leave_unchecked(output.name());
    }
    let reason = error.chain().next().unwrap_or_default();
    desired.note(format!(
        "`{}` is not updated: {reason}; see `rop {}`",
        output.name(),
        output.command()
    ));
    Ok(())
}
