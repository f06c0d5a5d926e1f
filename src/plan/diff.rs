//! Changes as users read them.

use diffy::{DiffOptions, PatchFormatter};

use super::Change;
use super::matching::{differing, lines, matching};

/// No minimal diff is searched for if more lines differ: it would take seconds.
const MOST_DIFFERING: usize = 4000;

/// A change as `diff -u` shows it, with git's prefixes. `moved` is what a file was that moves.
pub(super) fn unified(change: &Change, moved: Option<&Change>) -> String {
    let old = moved.unwrap_or(change);
    let (path, before) = (&old.path, &old.before);
    let from = match before {
        Some(_) => format!("a/{path}"),
        None => "/dev/null".to_owned(),
    };
    let new = match change.after {
        Some(_) => format!("b/{}", change.path),
        None => "/dev/null".to_owned(),
    };
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let (before, after) = (text(before), text(&change.after));
    patch(&before, &after, &from, &new)
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
    let texts = [before, after].map(lines);
    let [left, right] = &texts;
    if differing(left, right, &matching(left, right)) > MOST_DIFFERING {
        return whole(texts, old, new);
    }
    let mut options = DiffOptions::new();
    options.set_original_filename(old.to_owned());
    options.set_modified_filename(new.to_owned());
    let patch = options.create_patch(before, after);
    let formatter = PatchFormatter::new().suppress_blank_empty(false);
    formatter.fmt_patch(&patch).to_string()
}

/// A diff that replaces all lines.
fn whole([before, after]: [Vec<&str>; 2], old: &str, new: &str) -> String {
    let range = |lines: &[&str]| format!("{},{}", usize::from(!lines.is_empty()), lines.len());
    let (from, to) = (range(&before), range(&after));
    let mut diff = format!("--- {old}\n+++ {new}\n@@ -{from} +{to} @@\n");
    let removed = before.into_iter().map(|line| ("-", line));
    for (mark, line) in removed.chain(after.into_iter().map(|line| ("+", line))) {
        diff.extend([mark, line]);
        if !line.ends_with('\n') {
            diff += "\n\\ No newline at end of file\n";
        }
    }
    diff
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn long_texts_differ_soon() {
        let start = Instant::now();
        let [old, new] = ["a", "b"].map(|name| {
            let lines = (0..30_000).map(|index| format!("{name} {index}\n"));
            lines.collect::<String>() + "end"
        });
        let diff = patch(&old, &new, "a/x", "b/x");
        let patched = diffy::Patch::from_str(&diff).expect("a diff");
        assert!(diffy::apply(&old, &patched).is_ok_and(|text| text == new));
        let of_nothing = patch("", &old, "/dev/null", "b/x");
        let patched = diffy::Patch::from_str(&of_nothing).expect("a diff");
        assert!(diffy::apply("", &patched).is_ok_and(|text| text == old));
        let time = start.elapsed();
        // It took minutes; this is for a machine that is busy.
        assert!(time < Duration::from_mins(1), "{time:?}");
    }
}
