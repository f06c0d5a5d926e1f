use diffy::{DiffOptions, PatchFormatter};

use super::Change;

/// A change as `diff -u` shows it, with git's prefixes. `moved` is what a file was that moves.
pub(super) fn unified(change: &Change, moved: Option<&Change>) -> String {
    let old = moved.unwrap_or(change);
    let (path, before) = (&old.path, &old.before);
    let old = match before {
        Some(_) => format!("a/{path}"),
        None => "/dev/null".to_owned(),
    };
    let new = match change.after {
        Some(_) => format!("b/{}", change.path),
        None => "/dev/null".to_owned(),
    };
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let (before, after) = (text(before), text(&change.after));
    patch(&before, &after, &old, &new)
}

/// What changes between two texts, if anything does, as the inside of a note.
pub(super) fn of(old: &str, new: &str) -> Option<String> {
    let diff = patch(old, new, "", "");
    // The names are those of the note.
    let lines = diff.lines().skip(2).map(|line| format!("  {line}"));
    let lines: Vec<String> = lines.collect();
    (old != new).then(|| lines.join("\n"))
}

fn patch(before: &str, after: &str, old: &str, new: &str) -> String {
    let mut options = DiffOptions::new();
    options.set_original_filename(old.to_owned());
    options.set_modified_filename(new.to_owned());
    let patch = options.create_patch(before, after);
    let formatter = PatchFormatter::new().suppress_blank_empty(false);
    formatter.fmt_patch(&patch).to_string()
}
