//! Merges texts line by line, with bounded work: a minimal diff takes minutes for long texts that share little.

use std::borrow::Cow;

use diffy::{IncompleteHunkStyle, MergeOptions};

use super::matching::{differing, lines, matching};

/// The length of a conflict marker, with which no line of a text starts by chance.
pub(super) const MARKER: usize = 61;

/// How much work a merge may be: a minimal diff takes the square of the number of lines that differ.
const MOST_WORK: usize = 16 << 20;

/// Merges what became of `base` in two texts. A last line without an end is the same as one with it.
///
/// # Errors
/// Both changed the same lines, or so many that nothing tells which of them belong together: the merged text, with
/// both texts of each such place between markers.
pub(super) fn merge(base: &str, current: &str, new: &str) -> Result<String, String> {
    let [base_ends, current_ends, new_ends] = [base, current, new].map(is_ended);
    let ends = if current_ends == base_ends {
        new_ends
    } else {
        current_ends
    };
    let texts = [base, current, new].map(ended);
    let [base, current, new] = texts.each_ref().map(|text| &**text);
    merge_ended(base, current, new).map(|merged| with_end(merged, ends))
}

/// As [`merge`], of texts whose last lines have ends.
fn merge_ended(base: &str, current: &str, new: &str) -> Result<String, String> {
    let texts @ [base_lines, current_lines, new_lines] = &[base, current, new].map(lines);
    let [to_current, to_new] = [current_lines, new_lines].map(|side| matching(base_lines, side));
    let work = square(differing(base_lines, current_lines, &to_current))
        + square(differing(base_lines, new_lines, &to_new));
    if work <= MOST_WORK {
        return minimal(base, current, new);
    }
    // Lines that all three share divide the texts into parts.
    let shared = (0..base_lines.len()).filter_map(|at| Some([at, to_current[at]?, to_new[at]?]));
    let (mut start, mut left) = ([0; 3], MOST_WORK);
    let (mut merged, mut is_clean) = (String::new(), true);
    for line in shared.chain([texts.each_ref().map(Vec::len)]) {
        let part = [0, 1, 2].map(|text| &texts[text][start[text]..line[text]]);
        let part = merge_part(part, &mut left);
        is_clean &= part.is_ok();
        merged += &part.unwrap_or_else(|marked| marked);
        merged.extend(base_lines.get(line[0]).copied());
        start = line.map(|line| line + 1);
    }
    if is_clean { Ok(merged) } else { Err(merged) }
}

/// Merges two texts of which nobody knows what they came from. What only `current` has stays.
///
/// # Errors
/// `new` has lines that `current` lacks: they may be new, and the user may have removed or changed them. The merged
/// text, with both texts of each place that differs between markers: each side as a whole is one of the texts.
pub(super) fn merge_unknown(current: &str, new: &str) -> Result<String, String> {
    let ends = is_ended(current);
    let texts = [current, new].map(ended);
    let [current, new] = texts.each_ref().map(|text| lines(text));
    let shared = matching(&current, &new)
        .into_iter()
        .enumerate()
        .filter_map(|(at, other)| Some([at, other?]));
    let (mut parts, mut start) = (Vec::new(), [0; 2]);
    for line in shared.chain([[current.len(), new.len()]]) {
        parts.push([&current[start[0]..line[0]], &new[start[1]..line[1]]]);
        start = line.map(|line| line + 1);
    }
    let is_clean = parts.iter().all(|[_, other]| other.is_empty());
    let (mut merged, mut above) = (String::new(), 0);
    for [mine, other] in parts {
        if is_clean || mine.len() + other.len() == 0 {
            merged.extend(mine.iter().copied());
        } else {
            merged += &between_markers([&[], mine, other]);
        }
        above += mine.len();
        merged.extend(current.get(above).copied());
        above += 1;
    }
    if is_clean {
        Ok(with_end(merged, ends))
    } else {
        Err(merged)
    }
}

/// Whether the last line of a text has an end.
fn is_ended(text: &str) -> bool {
    text.is_empty() || text.ends_with('\n')
}

/// A text whose last line has an end.
fn ended(text: &str) -> Cow<'_, str> {
    if is_ended(text) {
        text.into()
    } else {
        format!("{text}\n").into()
    }
}

/// A text whose last line has an end if `ends` says so.
fn with_end(mut text: String, ends: bool) -> String {
    if !ends && text.ends_with('\n') {
        text.pop();
    }
    text
}

/// Merges parts of three texts, with so much work.
fn merge_part(part: [&[&str]; 3], left: &mut usize) -> Result<String, String> {
    let [base, current, new] = part;
    if current == base || current == new {
        return Ok(new.concat());
    }
    if new == base {
        return Ok(current.concat());
    }
    let work = square(base.len() + current.len()) + square(base.len() + new.len());
    match left.checked_sub(work) {
        Some(rest) => {
            *left = rest;
            minimal(&base.concat(), &current.concat(), &new.concat())
        }
        None => Err(between_markers(part)),
    }
}

fn minimal(base: &str, current: &str, new: &str) -> Result<String, String> {
    let mut options = MergeOptions::new();
    options
        .set_conflict_marker_length(MARKER)
        .set_incomplete_hunk_style(IncompleteHunkStyle::Git);
    options.merge(base, current, new)
}

/// Three texts between markers, each marker on a line of its own.
pub(super) fn between_markers([base, current, new]: [&[&str]; 3]) -> String {
    let mut marked = String::new();
    for (mark, lines) in [('<', current), ('|', base), ('=', new), ('>', &[])] {
        marked.extend(std::iter::repeat_n(mark, MARKER));
        marked.push('\n');
        marked.extend(lines.iter().copied());
        if !marked.ends_with('\n') {
            marked.push('\n');
        }
    }
    marked
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
        let merged = merge(given, edited, new).ok();
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

    /// A line that only one side has may be added there, or removed on the other.
    #[test]
    fn texts_without_a_base_differ_where_a_line_is_missing() {
        let marks = |mark: &str| mark.repeat(MARKER) + "\n";
        let [yours, base, new, end] = ["<", "|", "=", ">"].map(marks);
        for (current, release, expected) in [
            ("a\nb\n", "a\nb\n", Ok("a\nb\n".to_owned())),
            ("a\nmine\nb\n", "a\nb\n", Ok("a\nmine\nb\n".to_owned())),
            (
                "a\nb\n",
                "a\nnew\nb\n",
                Err(format!("a\n{yours}{base}{new}new\n{end}b\n")),
            ),
            (
                "a\nB\nc\n",
                "a\nb\nc\n",
                Err(format!("a\n{yours}B\n{base}{new}b\n{end}c\n")),
            ),
            // A line of the former release may not fit the rest of this one.
            (
                "mine\na\nB\n",
                "a\nb\n",
                Err(format!(
                    "{yours}mine\n{base}{new}{end}a\n{yours}B\n{base}{new}b\n{end}"
                )),
            ),
        ] {
            assert_eq!(
                merge_unknown(current, release),
                expected,
                "{current:?} {release:?}"
            );
        }
    }

    /// An editor may have removed or added the end of the last line.
    #[test]
    fn the_end_of_the_last_line_is_no_conflict() {
        for (base, current, new, expected) in [
            ("a\nb\n", "a\nb", "A\nb\n", "A\nb"),
            ("a\nb\n", "a\nb", "a\nB\n", "a\nB"),
            ("a\nb\n", "a\nb", "a\nb\nc\n", "a\nb\nc"),
            ("a\nb", "a\nb\n", "a\nB", "a\nB\n"),
            ("a\nb", "a\nb", "a\nb\n", "a\nb\n"),
        ] {
            assert_eq!(
                merge(base, current, new).as_deref(),
                Ok(expected),
                "{current:?} {new:?}"
            );
        }
        assert_eq!(merge_unknown("a\nb", "a\nb\n").as_deref(), Ok("a\nb"));
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
            assert_eq!(merged, minimal(given, edited, new));
            assert_eq!(merge(given, edited, new), merged);
        }
    }
}
