//! The labels in the Dockerfile of a bundle's image.

use std::iter::Peekable;
use std::str::Chars;

/// A label of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The line of its instruction, from 1.
    pub line: usize,
    /// Its name.
    pub name: String,
    /// Its value; nothing if it depends on a variable.
    pub value: Option<String>,
}

/// The labels of the last stage, in order.
pub fn labels(text: &str) -> Vec<Label> {
    let mut labels = Vec::new();
    for (line, instruction) in instructions(text) {
        let (keyword, rest) = instruction
            .split_once(char::is_whitespace)
            .unwrap_or((&instruction, ""));
        if keyword.eq_ignore_ascii_case("FROM") {
            labels.clear();
        } else if keyword.eq_ignore_ascii_case("LABEL") {
            labels.extend(pairs(rest.trim()).map(|(name, value)| Label { line, name, value }));
        }
    }
    labels
}

/// The instructions with their lines, each on one line.
fn instructions(text: &str) -> Vec<(usize, String)> {
    let mut instructions: Vec<(usize, String)> = Vec::new();
    let mut is_continued = false;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (part, continues) = match line.strip_suffix('\\') {
            Some(part) => (part, true),
            None => (line, false),
        };
        match instructions.last_mut().filter(|_| is_continued) {
            Some((_, instruction)) => instruction.push_str(part),
            None => instructions.push((index + 1, part.to_owned())),
        }
        is_continued = continues;
    }
    instructions
}

/// The names and values after `LABEL`, as `a=b c="d e"` or, in its old form, `a b c`.
fn pairs(text: &str) -> impl Iterator<Item = (String, Option<String>)> {
    let mut chars = text.chars().peekable();
    let mut is_first = true;
    std::iter::from_fn(move || {
        while chars.next_if(|c| c.is_whitespace()).is_some() {}
        chars.peek()?;
        let name = word(&mut chars, |c| c == '=' || c.is_whitespace()).unwrap_or_default();
        let is_old = std::mem::take(&mut is_first) && chars.peek() != Some(&'=');
        let value = if is_old {
            while chars.next_if(|c| c.is_whitespace()).is_some() {}
            word(&mut chars, |_| false)
        } else {
            chars.next_if_eq(&'=');
            word(&mut chars, char::is_whitespace)
        };
        Some((name, value))
    })
}

/// The text up to the end of a word, without its quotes; nothing if it has a variable.
fn word(chars: &mut Peekable<Chars<'_>>, is_end: impl Fn(char) -> bool) -> Option<String> {
    let mut text = String::new();
    let (mut quote, mut has_variable) = (None, false);
    while let Some(c) = chars.next_if(|c| quote.is_some() || !is_end(*c)) {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            ('\\', None) => text.extend(chars.next()),
            ('\\', Some('"')) => {
                let escaped = chars.next_if(|c| "\"\\$".contains(*c));
                text.push(escaped.unwrap_or('\\'));
            }
            ('$', None | Some('"')) => has_variable = true,
            (c, _) => text.push(c),
        }
    }
    (!has_variable).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_those_of_a_container_engine() {
        let text = "\
FROM golang AS build
LABEL gone=1
FROM scratch
# LABEL comment=1
LABEL a=b 'c d'=\"e \\\"f\\\" \\x\" \\
  # a comment

  g=h\\ i
label old form of it
LABEL from=v$VERSION literal='$x' escaped=\\$x empty=
COPY a /b
";
        let found: Vec<_> = labels(text)
            .into_iter()
            .map(|label| (label.line, label.name, label.value))
            .collect();
        let label = |line, name: &str, value: &str| (line, name.into(), Some(value.into()));
        let expected: [(usize, String, Option<String>); 8] = [
            label(5, "a", "b"),
            label(5, "c d", "e \"f\" \\x"),
            label(5, "g", "h i"),
            label(9, "old", "form of it"),
            (10, "from".into(), None),
            label(10, "literal", "$x"),
            label(10, "escaped", "$x"),
            label(10, "empty", ""),
        ];
        assert_eq!(found, expected);
    }
}
