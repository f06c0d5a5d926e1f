//! Entries that a list of files has lost, as in a merge that was resolved to one side.

use crate::manifest::mentioned;
use crate::plan::{File, Renames, Tree};

/// A kustomization as it was given, without the files that are made and that `there` does not mention: as if they
/// were new. None of another file, and of one that has lost nothing. Both texts get the new names first.
pub(super) fn without_lost(
    given: &File,
    there: &str,
    made: &Tree,
    renames: &Renames,
) -> Option<File> {
    let folder = given.path().strip_suffix("/kustomization.yaml")?;
    let [text, there] = [given.text(), there].map(|text| renames.apply(given.path(), text));
    let mentioned = mentioned(&there);
    let is_lost = |line: &&str| {
        line.strip_prefix("- ").is_some_and(|entry| {
            made.get(&format!("{folder}/{entry}")).is_some() && !mentioned.contains(entry)
        })
    };
    let (lost, kept): (Vec<_>, Vec<_>) = text.lines().partition(is_lost);
    let kept = kept.iter().map(|line| format!("{line}\n"));
    let kept = File::new(given.path(), given.ownership(), kept.collect::<String>());
    (!lost.is_empty()).then_some(kept)
}
