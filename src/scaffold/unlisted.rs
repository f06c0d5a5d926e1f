//! Entries that a list of files has lost, as in a merge that was resolved to one side.

use crate::manifest::mentions;
use crate::plan::{File, Tree};

/// A kustomization as it was given, without the files that are made and that `there` does not mention: as if they
/// were new. None of another file.
pub(super) fn without_lost(given: &File, there: &str, made: &Tree) -> Option<File> {
    let folder = given.path().strip_suffix("/kustomization.yaml")?;
    let is_lost = |line: &&str| {
        line.strip_prefix("- ").is_some_and(|entry| {
            made.get(&format!("{folder}/{entry}")).is_some() && !mentions(there, entry)
        })
    };
    let lines = given.text().lines().filter(|line| !is_lost(line));
    let text = lines.map(|line| format!("{line}\n")).collect::<String>();
    Some(File::new(given.path(), given.ownership(), text))
}
