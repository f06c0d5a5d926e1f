use similar::TextDiff;

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
    TextDiff::from_lines(&before, &after)
        .unified_diff()
        .header(&old, &new)
        .to_string()
}

/// What changes between two texts, if anything does, as the inside of a note.
pub(super) fn of(old: &str, new: &str) -> Option<String> {
    let diff = TextDiff::from_lines(old, new).unified_diff().to_string();
    let lines: Vec<String> = diff.lines().map(|line| format!("  {line}")).collect();
    (old != new).then(|| lines.join("\n"))
}
