//! Three texts of a file: what rop gave, what its user made of that, and what rop gives now.

use super::File;
use super::matching::{differing, lines, matching};
use super::renames::Renames;

/// How much work a merge may be: a minimal diff takes the square of the number of lines that differ.
const MOST_WORK: usize = 16 << 20;

/// The text of a user's, with what is given now in place of what was. None if the user edited lines that change.
pub(super) fn merge(given: &File, text: &str, now: &File, renames: &Renames) -> Option<String> {
    let renamed = |text| renames.apply(given.path(), text);
    let (given, text, now) = (renamed(given.text()), renamed(text), now.text());
    // A license comes or goes above what somebody edited.
    if let Some(license) = now.strip_suffix(&given) {
        return Some(format!("{license}{text}"));
    }
    if let Some(below) = given.strip_suffix(now).and_then(|it| text.strip_prefix(it)) {
        return Some(below.to_owned());
    }
    merge_lines(&given, &text, now)
}

/// Merges three texts line by line. None if both sides changed the same lines, or so many that nothing tells which of
/// them belong together.
pub(crate) fn merge_lines(given: &str, edited: &str, new: &str) -> Option<String> {
    let texts @ [given_lines, edited_lines, new_lines] = &[given, edited, new].map(lines);
    let [to_edited, to_new] = [edited_lines, new_lines].map(|side| matching(given_lines, side));
    let work = square(differing(given_lines, edited_lines, &to_edited))
        + square(differing(given_lines, new_lines, &to_new));
    if work <= MOST_WORK {
        return diffy::merge(given, edited, new).ok();
    }
    // Lines that all three share divide the texts into parts.
    let shared = (0..given_lines.len()).filter_map(|at| Some([at, to_edited[at]?, to_new[at]?]));
    let (mut start, mut left, mut merged) = ([0; 3], MOST_WORK, String::new());
    for line in shared.chain([texts.each_ref().map(Vec::len)]) {
        let part = [0, 1, 2].map(|text| &texts[text][start[text]..line[text]]);
        merged += &merge_part(part, &mut left)?;
        merged.extend(given_lines.get(line[0]).copied());
        start = line.map(|line| line + 1);
    }
    Some(merged)
}

/// Merges parts of three texts, with so much work.
fn merge_part([given, edited, new]: [&[&str]; 3], left: &mut usize) -> Option<String> {
    if edited == given || edited == new {
        return Some(new.concat());
    }
    if new == given {
        return Some(edited.concat());
    }
    let work = square(given.len() + edited.len()) + square(given.len() + new.len());
    *left = left.checked_sub(work)?;
    diffy::merge(&given.concat(), &edited.concat(), &new.concat()).ok()
}

fn square(lines: usize) -> usize {
    lines.saturating_mul(lines)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    /// A text of so many lines, of which some change.
    fn text(lines: usize, line: impl Fn(usize) -> String) -> String {
        (0..lines)
            .map(|index| format!("{}\n", line(index)))
            .collect()
    }

    #[track_caller]
    fn soon(given: &str, edited: &str, new: &str, expected: Option<&str>) {
        let start = Instant::now();
        let merged = merge_lines(given, edited, new);
        let time = start.elapsed();
        assert!(
            merged.as_deref() == expected,
            "{:?}",
            merged.map(|text| text.len())
        );
        // It took minutes; this is for a machine that is busy.
        assert!(time < Duration::from_mins(1), "{time:?}");
    }

    #[test]
    fn long_texts_merge_soon() {
        const LINES: usize = 30_000;
        let given = text(LINES, |index| format!("line {index}"));
        let changed = |index: usize, rest: usize, side: &str| {
            let side = if index % 4 == rest { side } else { "line" };
            format!("{side} {index}")
        };
        let edited = text(LINES, |index| changed(index, 0, "mine"));
        let new = text(LINES, |index| changed(index, 2, "new"));
        let merged = text(LINES, |index| match index % 4 {
            2 => changed(index, 2, "new"),
            _ => changed(index, 0, "mine"),
        });
        soon(&given, &edited, &new, Some(&merged));
        let both = text(LINES, |index| changed(index, 0, "new"));
        soon(&given, &edited, &both, None);
        // Nothing is shared, and nothing tells lines apart.
        let other = text(LINES, |index| format!("other {index}"));
        soon(&given, &other, &new, None);
        let [same, odd, even] =
            [1, 2, 3].map(|by| text(LINES, |index| (index / by % 2).to_string()));
        soon(&same, &odd, &even, None);
    }

    /// Parts merge as the whole does.
    #[test]
    fn parts_merge_as_a_whole() {
        let given = "a\nb\nc\nd\ne\n";
        for (edited, new) in [
            ("a\nx\nc\nd\ne\n", "a\nb\nc\nd\ny\n"),
            ("b\nc\nd\ne\n", "a\nb\nc\nd\n"),
            ("a\nb\nx\nc\nd\ne\n", "a\nb\ny\nc\nd\ne\n"),
            ("a\nx\nd\ne\n", "a\nx\nd\ne\nz"),
        ] {
            let texts = [given, edited, new].map(lines);
            let parts = texts.each_ref().map(|lines| &lines[..]);
            let merged = merge_part(parts, &mut MOST_WORK.clone());
            assert_eq!(merged, diffy::merge(given, edited, new).ok());
            assert_eq!(merge_lines(given, edited, new), merged);
        }
    }
}
