//! Descriptions as doc comments.

use serde_json::Value;

use super::identifier::is_invisible;
use super::{Source, token};
use crate::rustfmt::WIDTH;

/// The description of a schema as comment, each line behind so many spaces. Empty if it has none.
pub(in crate::external) fn described(schema: &Value, indent: usize) -> Source {
    let description = schema["description"].as_str().unwrap_or_default();
    comment(&document(description, indent), indent, false)
}

/// A comment of rop's own, with something of a CRD for each `$`, which stands between backticks.
pub(in crate::external) fn remark(text: &'static str, pieces: &[&str], is_inner: bool) -> Source {
    let mut pieces = pieces.iter();
    let mut line = String::new();
    for (index, part) in text.split('$').enumerate() {
        let piece = (index > 0).then(|| pieces.next()).flatten();
        line.extend(piece.into_iter().flat_map(|piece| piece.chars().map(code)));
        line += part;
    }
    comment(&[line], 0, is_inner)
}

/// A character as it can stand in code between two backticks.
fn code(c: char) -> String {
    match c {
        '`' => "'".to_owned(),
        c if c.is_control() || is_invisible(c) => c.escape_default().to_string(),
        c => c.to_string(),
    }
}

/// Lines as a doc comment.
fn comment(lines: &[String], indent: usize, is_inner: bool) -> Source {
    let indent = " ".repeat(indent);
    let mark = if is_inner { "//!" } else { "///" };
    let mut comment = Source::default();
    for line in lines {
        let line = if line.is_empty() {
            String::new()
        } else {
            format!(" {line}")
        };
        comment.text.extend([&*indent, mark, &line, "\n"]);
        comment.tokens.extend(token::comment(&line, is_inner));
    }
    comment
}

/// A text without what is not seen. What ends a line anywhere ends one here.
fn seen(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let seen = text.chars().filter_map(|c| match c {
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some('\n'),
        '\t' => Some(' '),
        // Between letters it says where a word may be broken.
        '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}' => None,
        c if c.is_control() || is_invisible(c) => Some(char::REPLACEMENT_CHARACTER),
        c => Some(c),
    });
    seen.collect()
}

/// A description as the lines of a doc comment.
fn document(description: &str, indent: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    // What a line of a list goes on with.
    let mut hanging = 0;
    let mut in_code = false;
    for line in seen(description).trim().lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            in_code = !in_code;
            // Nobody's example is a test of the project.
            lines.push(if in_code { "```text" } else { "```" }.to_owned());
            continue;
        }
        if in_code {
            lines.push(line.to_owned());
            continue;
        }
        if line.is_empty() {
            hanging = 0;
            if lines.last().is_some_and(|last| !last.is_empty()) {
                lines.push(String::new());
            }
            continue;
        }
        let bullet = bullet(line);
        let is_item = bullet > 0;
        if is_item {
            hanging = bullet;
        }
        let first = if is_item { 0 } else { hanging };
        wrap(
            &escaped(line),
            first,
            hanging,
            WIDTH - indent - 4,
            &mut lines,
        );
    }
    if in_code {
        lines.push("```".to_owned());
    }
    lines
}

/// How far the text of a list's item is from its bullet; 0 for what is none.
fn bullet(line: &str) -> usize {
    if ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark)) {
        return 2;
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    match &line[digits..] {
        rest if (1..4).contains(&digits) && (rest.starts_with(". ") || rest.starts_with(") ")) => {
            digits + 2
        }
        _ => 0,
    }
}

/// A line without what Markdown would make something of: links, HTML, and tabs.
fn escaped(line: &str) -> String {
    let mut escaped = String::new();
    for (index, part) in line.split('`').enumerate() {
        if index > 0 {
            escaped.push('`');
        }
        // Between two backticks it is code.
        let is_code = index % 2 == 1 && line.split('`').count() > index + 1;
        if is_code {
            escaped.push_str(&part.replace('\t', " "));
        } else {
            escape(part, &mut escaped);
        }
    }
    // The bullet stays one.
    match escaped.strip_prefix("\\*") {
        Some(rest) if rest.starts_with(' ') => format!("*{rest}"),
        _ => escaped,
    }
}

/// Text that is no code. An address is a link.
fn escape(text: &str, escaped: &mut String) {
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let length = address(rest);
        if length > 0 {
            let (address, behind) = rest.split_at(length);
            escaped.extend(["<", address, ">"]);
            rest = behind;
            continue;
        }
        match letter {
            '\t' => escaped.push(' '),
            '[' | ']' | '<' | '>' | '*' | '_' => escaped.extend(['\\', letter]),
            letter => escaped.push(letter),
        }
        rest = &rest[letter.len_utf8()..];
    }
}

/// How long the address is that a text starts with.
fn address(text: &str) -> usize {
    if !["https://", "http://"]
        .iter()
        .any(|scheme| text.starts_with(scheme))
    {
        return 0;
    }
    let ends = |c: char| c.is_whitespace() || "<>()[]{}\"'`\\|^".contains(c);
    let address = text.split(ends).next().unwrap_or_default();
    address
        .trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_'])
        .len()
}

/// Breaks a line between words. A word that would start something in Markdown stays where it is.
fn wrap(line: &str, first: usize, hanging: usize, width: usize, lines: &mut Vec<String>) {
    let mut current = " ".repeat(first);
    let mut is_empty = true;
    for word in line.split_whitespace() {
        let starts_something =
            bullet(&format!("{word} ")) > 0 || word.starts_with(['#', '|', '=', '~', '-', '+']);
        if !is_empty && !starts_something && current.len() + 1 + word.len() > width {
            lines.push(std::mem::replace(&mut current, " ".repeat(hanging)));
            is_empty = true;
        }
        if !is_empty {
            current.push(' ');
        }
        current.push_str(word);
        is_empty = false;
    }
    lines.push(current);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn comment_of(text: &str, indent: usize) -> String {
        let schema = json!({ "description": text });
        described(&schema, indent).checked().expect(text)
    }

    #[test]
    fn a_description_is_plain_text() {
        let text = "One <b> and [link], see https://example.com/a_b.\n\n\n    indented\n* item\ngoes on\n```\nlet x\t= 1;\n```";
        assert_eq!(
            comment_of(text, 4),
            "    /// One \\<b\\> and \\[link\\], see <https://example.com/a_b>.\n    ///\n    /// indented\n    \
             /// * item\n    ///   goes on\n    /// ```text\n    /// let x = 1;\n    /// ```\n"
        );
    }

    #[test]
    fn long_lines_are_wrapped() {
        let document = comment_of(&"word ".repeat(40), 0);
        assert!(
            document.lines().all(|line| line.len() <= WIDTH),
            "{document}"
        );
        assert_eq!(document.lines().count(), 3);
    }

    #[test]
    fn what_is_not_seen_is_left_out_or_shown() {
        for (text, comment) in [
            ("a\rb\u{2028}c", "/// a\n/// b\n/// c\n"),
            ("```\na\rb\n```", "/// ```text\n/// a\n/// b\n/// ```\n"),
            ("a\u{202e}b\u{0}", "/// a\u{fffd}b\u{fffd}\n"),
            ("\u{feff}a\u{200b}b", "/// ab\n"),
            ("\u{feff}", ""),
        ] {
            assert_eq!(comment_of(text, 0), comment);
        }
        let remark = remark("`$`.", &["a`\n/// b\u{202e}"], false).checked();
        assert_eq!(remark.as_deref(), Ok("/// `a'\\n/// b\\u{202e}`.\n"));
    }
}
