//! Characters that a terminal carries out or hides in place of showing them: written as escapes.
//!
//! Texts that rop prints have parts that others wrote: names of files, markers, CRDs, answers of
//! servers. None of them may clear the screen, forge a line, or read otherwise than it is.

use std::borrow::Cow;
use std::fmt::Write;

use crate::hidden::is_hidden;

/// So much of a line is shown.
const LONGEST_LINE: usize = 4000;

/// What stands before a cause, below the message.
pub(super) const CAUSE: &str = "caused by:";

/// A text with its line breaks and tabs, and everything else visible.
pub(super) fn text(text: &str) -> Cow<'_, str> {
    let keeps = |c, next| matches!(c, '\n' | '\t') || c == '\r' && next == Some('\n');
    escaped(text, keeps, rust)
}

pub(super) fn line(text: &str) -> Cow<'_, str> {
    bounded(escaped(text, |_, _| false, rust))
}

/// A message of several lines: those after the first are indented, so that none looks like another
/// message or the [`CAUSE`] of one, and at most `most` are shown.
pub(super) fn message(message: &str, most: usize) -> String {
    let mut shown = String::new();
    let mut lines = message.lines();
    for (index, own) in lines.by_ref().take(most).enumerate() {
        let is_indented = index == 0 || own.is_empty() || own.starts_with("  ");
        shown.push_str(if index == 0 { "" } else { "\n" });
        shown.push_str(if is_indented { "" } else { "  " });
        let is_cause = index > 0 && own.trim_start().starts_with(CAUSE);
        shown.push_str(if is_cause { "| " } else { "" });
        shown.push_str(&bounded(text(own)));
    }
    let rest = lines.count();
    if rest > 0 {
        let _ = write!(shown, "\n  … and {rest} more lines");
    }
    shown
}

/// JSON, whose strings may hold what a terminal does not show.
pub(super) fn json(json: &str) -> Cow<'_, str> {
    escaped(
        json,
        |c, _| c == '\n',
        |c, shown| {
            let units: &mut [u16] = &mut [0; 2];
            for unit in c.encode_utf16(units) {
                let _ = write!(shown, "\\u{unit:04x}");
            }
        },
    )
}

/// Whether a terminal shows a text as it is, on one line.
pub(super) fn is_plain(text: &str) -> bool {
    !text.chars().any(is_hidden)
}

fn rust(c: char, shown: &mut String) {
    shown.extend(c.escape_default());
}

/// A text in which `escape` writes hidden characters, unless `keeps` says so for one before another.
fn escaped(
    text: &str,
    keeps: impl Fn(char, Option<char>) -> bool,
    escape: impl Fn(char, &mut String),
) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if is_hidden(c) && !keeps(c, rest.peek().copied()) {
            escape(c, &mut shown);
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// The start of a line, and how much of it is left out.
fn bounded(line: Cow<'_, str>) -> Cow<'_, str> {
    let Some((end, _)) = line.char_indices().nth(LONGEST_LINE) else {
        return line;
    };
    let rest = line[end..].chars().count();
    Cow::Owned(format!("{}… ({rest} more characters)", &line[..end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_acts_on_is_written_out() {
        for (foreign, shown) in [
            ("größe 大 👩\u{200d}💻", "größe 大 👩\u{200d}💻"),
            ("a\tb\nc\r\n", "a\tb\nc\r\n"),
            ("\u{1b}[2Ja", "\\u{1b}[2Ja"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("a\rb\u{7}\u{7f}", "a\\rb\\u{7}\\u{7f}"),
            ("a\u{202e}b\u{2066}", "a\\u{202e}b\\u{2066}"),
            ("\u{2028}\u{feff}\u{e0041}", "\\u{2028}\\u{feff}\\u{e0041}"),
        ] {
            assert_eq!(text(foreign), shown);
        }
        assert_eq!(line("a\nhint: b"), "a\\nhint: b");
    }

    #[test]
    fn json_stays_json() {
        let value = serde_json::json!({"a": "\u{1b}[2J\u{9b}\u{202e}\u{e0041}\n"});
        let shown = json(&format!("{value:#}\n")).into_owned();
        assert!(shown.chars().all(|c| c == '\n' || !is_hidden(c)), "{shown}");
        let read: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
        assert_eq!(read, value);
    }

    #[test]
    fn no_line_of_a_message_looks_like_another_message() {
        assert_eq!(
            message("a `x\nhint: run\n\n    y`", 9),
            "a `x\n  hint: run\n\n    y`"
        );
        assert_eq!(
            message("a\n  caused by: b\ncaused by: c", 9),
            "a\n|   caused by: b\n  | caused by: c"
        );
        assert_eq!(message("a\nb\nc\nd", 2), "a\n  b\n  … and 2 more lines");
    }

    #[test]
    fn long_lines_end() {
        let long = "é".repeat(LONGEST_LINE + 5);
        let shown = line(&long);
        assert!(shown.ends_with("é… (5 more characters)"), "{shown}");
        assert!(shown.chars().count() < long.chars().count() + 30);
    }
}
