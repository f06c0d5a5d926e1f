//! Lines that both the user and a new release changed, each in another way.

use std::ops::RangeInclusive;

use super::line_merge::{self, MARKER};

/// Lines of a file that the user and the release changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// The lines in the file. If the user removed them, the line above is the end.
    pub lines: RangeInclusive<usize>,
    /// The line of the first conflict marker, once both texts are in the file.
    pub marker: usize,
    /// The lines as they are in the file.
    pub current: String,
    /// The lines that the release has in their place.
    pub new: String,
}

/// A file that the user and the release changed in the same lines.
#[derive(Debug)]
pub(super) struct Overlaps {
    pub(super) places: Vec<Overlap>,
    /// The merged text, with both texts of each place between conflict markers.
    pub(super) marked: String,
    pub(super) cause: Cause,
}

/// Why texts do not merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// Both changed the same lines.
    Lines,
    /// Both define the same name, elsewhere.
    Doubled,
    /// The user's lines use what the release removes.
    Missing,
}

/// The length of git's markers.
const GIT_MARKER: usize = 7;

/// The names of the texts behind git's markers.
const LABELS: [(char, &str); 4] = [
    ('<', " yours"),
    ('|', " the last release"),
    ('=', ""),
    ('>', " this release"),
];

/// Merges what became of `base` in two texts.
///
/// # Errors
/// Both changed the same lines.
pub(super) fn merge(base: &str, current: &str, new: &str) -> Result<String, Overlaps> {
    line_merge::merge(base, current, new).map_err(|marked| read(&marked, Cause::Lines))
}

/// Merges two texts of which nobody knows what they came from.
///
/// # Errors
/// As [`line_merge::merge_unknown`].
pub(super) fn merge_unknown(current: &str, new: &str) -> Result<String, Overlaps> {
    line_merge::merge_unknown(current, new).map_err(|marked| read(&marked, Cause::Lines))
}

/// Reads a merged text with markers.
pub(super) fn read(text: &str, cause: Cause) -> Overlaps {
    let (mut places, mut marked) = (Vec::new(), String::new());
    let mut side = None;
    // The lines above, in the file as it is and with markers.
    let (mut above, mut above_marked) = (0, 0);
    let mut place: Option<Overlap> = None;
    for line in text.split_inclusive('\n') {
        if let Some((mark, label)) = label(line) {
            if mark == '<' {
                place = Some(Overlap {
                    lines: above + 1..=above,
                    marker: above_marked + 1,
                    current: String::new(),
                    new: String::new(),
                });
            }
            side = Some(mark).filter(|mark| *mark != '>');
            if mark == '>' {
                places.extend(place.take());
            }
            marked.extend(std::iter::repeat_n(mark, GIT_MARKER));
            marked.push_str(label);
            marked.push('\n');
        } else {
            if matches!(side, None | Some('<')) {
                above += 1;
            }
            match (&mut place, side) {
                (Some(place), Some('<')) => {
                    place.lines = *place.lines.start()..=above;
                    place.current.push_str(line);
                }
                (Some(place), Some('=')) => place.new.push_str(line),
                _ => {}
            }
            marked.push_str(line);
        }
        above_marked += 1;
    }
    Overlaps {
        places,
        marked,
        cause,
    }
}

/// The character and the name of a marker.
fn label(line: &str) -> Option<(char, &'static str)> {
    LABELS.into_iter().find(|(mark, _)| {
        let rest = line.trim_start_matches(*mark);
        line.len() - rest.len() == MARKER && (rest.trim().is_empty() || rest.starts_with(' '))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git;

    #[test]
    fn changes_of_other_lines_are_merged() {
        let merged = merge("a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\n");
        assert_eq!(merged.ok().as_deref(), Some("A\nb\nc\nD\n"));
    }

    #[test]
    fn an_overlap_has_its_lines_and_both_texts() {
        let (base, current, new) = (
            "a\nb\nc\nd\ne\nf\n",
            "0\na\nb\nC\nd\ne\n",
            "a\nb\nK\nd\ne\nF\n",
        );
        let overlaps = merge(base, current, new).expect_err("an overlap");
        let expected = [
            Overlap {
                lines: 4..=4,
                marker: 4,
                current: "C\n".into(),
                new: "K\n".into(),
            },
            Overlap {
                lines: RangeInclusive::new(7, 6),
                marker: 13,
                current: String::new(),
                new: "F\n".into(),
            },
        ];
        assert_eq!(overlaps.places, expected);
        let marked = overlaps.marked;
        for place in &expected {
            let marker = marked.lines().nth(place.marker - 1);
            assert_eq!(marker, Some("<<<<<<< yours"), "{marked}");
        }
        let sides = ["0\na\nb\nC\nd\ne\n", "0\na\nb\nK\nd\ne\nF\n"].map(str::to_owned);
        assert_eq!(git::sides(&marked), Some(sides), "{marked}");
    }

    #[test]
    fn markers_stand_on_lines_of_their_own() {
        let overlaps = merge("a\nb", "a\nc", "a\nd").expect_err("an overlap");
        let expected =
            "a\n<<<<<<< yours\nc\n||||||| the last release\nb\n=======\nd\n>>>>>>> this release\n";
        assert_eq!(overlaps.marked, expected);
    }
}
