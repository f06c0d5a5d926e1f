//! Where git's work trees are, and the conflicts that it writes into files.

use std::path::Path;

/// The work tree around a directory: no clone brings a `.git`, so it is that of the user who cloned.
pub(crate) fn work_tree(directory: &Path) -> Option<&Path> {
    directory
        .ancestors()
        .find(|folder| folder.join(".git").exists())
}

/// Whether a file has conflicts, perhaps half resolved.
pub(crate) fn is_in_conflict(text: &str) -> bool {
    conflict_line(text).is_some()
}

/// The line of the first conflict of a file, from 1.
pub(crate) fn conflict_line(text: &str) -> Option<usize> {
    let first = text.lines().position(|line| mark(line) == Some('<'))?;
    Some(first + 1)
}

/// Both texts of a file with conflicts, none of them half resolved.
pub(crate) fn sides(text: &str) -> Option<[String; 2]> {
    let mut sides = [const { String::new() }; 2];
    // The side that a line belongs to: both, one, or what both came from.
    let mut part = Part::Both;
    let mut found = false;
    for line in text.split_inclusive('\n') {
        part = match (mark(line), part) {
            (Some('<'), Part::Both) => Part::Side(0),
            (Some('|'), Part::Side(0)) => Part::Base,
            (Some('='), Part::Side(0) | Part::Base) => Part::Side(1),
            (Some('>'), Part::Side(1)) => {
                found = true;
                Part::Both
            }
            _ => {
                for (index, side) in sides.iter_mut().enumerate() {
                    if part == Part::Both || part == Part::Side(index) {
                        side.push_str(line);
                    }
                }
                continue;
            }
        };
    }
    (found && part == Part::Both).then_some(sides)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Both,
    Side(usize),
    Base,
}

/// The character of the conflict marker that a line is.
fn mark(line: &str) -> Option<char> {
    // A byte order mark can precede the first line.
    let line = line.trim_start_matches('\u{feff}');
    let first = line.chars().next().filter(|c| "<|=>".contains(*c))?;
    let rest = line.trim_end().trim_start_matches(first);
    let is_labeled = rest.starts_with(' ');
    // Those of a file that both sides renamed are longer, and have a label but for the middle.
    let is_mark = match line.trim_end().len() - rest.len() {
        7 => is_labeled || rest.is_empty(),
        8.. => is_labeled || rest.is_empty() && first == '=',
        _ => false,
    };
    is_mark.then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_texts_are_found() {
        let text = "a\n<<<<<<< HEAD\nb\n||||||| base\nc\n=======\nd\n>>>>>>> other\ne\n";
        let plain = text.replace("||||||| base\nc\n", "");
        for text in [text, &plain] {
            let both = ["a\nb\ne\n", "a\nd\ne\n"].map(str::to_owned);
            assert_eq!(sides(text), Some(both), "{text}");
            assert!(is_in_conflict(text), "{text}");
        }
        for text in [
            "",
            "a\n=======\nb\n",
            "<<<<<<< HEAD\na\n=======\n",
            "<<<<<<<<\n",
        ] {
            assert_eq!(sides(text), None, "{text}");
        }
        assert!(is_in_conflict("<<<<<<< HEAD\r\na\n=======\n"));
        assert!(is_in_conflict(
            "\u{feff}<<<<<<< HEAD\na\n=======\nb\n>>>>>>> b\n"
        ));
        assert!(is_in_conflict(
            "<<<<<<<< HEAD:a\na\n========\nb\n>>>>>>>> b:c\n"
        ));
        for text in ["a\n=======\nb\n", "<<<<<<<<\n", " <<<<<<< HEAD\n"] {
            assert!(!is_in_conflict(text), "{text}");
        }
    }
}
