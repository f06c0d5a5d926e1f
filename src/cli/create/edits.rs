//! Lists the created files to edit.

use crate::project::Project;

/// A step for each of the files that `after` has and `before` has not.
pub(super) fn edits(
    files: impl Fn(&Project) -> Vec<String>,
    [before, after]: [&Project; 2],
) -> Vec<String> {
    let known = files(before);
    let new = files(after)
        .into_iter()
        .filter(|file| !known.contains(file));
    new.map(|file| format!("edit {file}")).collect()
}
