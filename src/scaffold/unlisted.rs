//! Entries that a list of files has lost, as in a merge that was resolved to one side.

use crate::manifest::mentioned;
use crate::plan::{File, Renames, Tree};

/// A kustomization as it was given, without the generated files that `on_disk` does not mention: as if they
/// were new. None of another file, and of one that has lost nothing. Both texts get the new names first. What the user
/// deleted is not lost.
pub(super) fn without_lost(
    given: &File,
    on_disk: &str,
    tree: &Tree,
    renames: &Renames,
    is_deleted: impl Fn(&File) -> bool,
) -> Option<File> {
    let folder = given.path().strip_suffix("/kustomization.yaml")?;
    let [text, on_disk] = [given.text(), on_disk].map(|text| renames.apply(given.path(), text));
    let mentioned = mentioned(&on_disk);
    let is_lost = |line: &&str| {
        line.strip_prefix("- ").is_some_and(|entry| {
            let file = tree.get(&format!("{folder}/{entry}"));
            file.is_some_and(|file| !is_deleted(file)) && !mentioned.contains(entry)
        })
    };
    let (lost, kept): (Vec<_>, Vec<_>) = text.lines().partition(is_lost);
    let kept = kept.iter().map(|line| format!("{line}\n"));
    let kept = File::new(given.path(), given.ownership(), kept.collect::<String>());
    (!lost.is_empty()).then_some(kept)
}
