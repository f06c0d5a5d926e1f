//! A source in pieces: as much of Rust's grammar as tells code from text.

use std::ops::Range;

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name or a number.
    Word,
    /// A string or a character.
    Literal,
    Comment,
    Open,
    Close,
    LineEnd,
    Blank,
    /// Any other character.
    Mark,
}

/// The pieces of a source, one behind the other.
pub(super) struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { text, at: 0 }
    }
}

impl Iterator for Tokens<'_> {
    type Item = (Token, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = &self.text[self.at..];
        let (token, length) = first(rest)?;
        let start = self.at;
        self.at += length.min(rest.len());
        Some((token, start..self.at))
    }
}

/// What a text starts with, and how long that is.
fn first(text: &str) -> Option<(Token, usize)> {
    let first = text.chars().next()?;
    Some(match first {
        '\n' => (Token::LineEnd, 1),
        ' ' => (Token::Blank, count(text, |byte| byte == b' ')),
        '(' | '[' | '{' => (Token::Open, 1),
        ')' | ']' | '}' => (Token::Close, 1),
        '"' => (Token::Literal, string(text)),
        '\'' => character(text),
        '/' if text.starts_with("//") => (Token::Comment, text.find('\n').unwrap_or(text.len())),
        '/' if text.starts_with("/*") => (Token::Comment, block_comment(text)),
        c if is_word(c) => {
            let end = word(text);
            let is_raw = ["r", "br", "cr"].contains(&&text[..end]);
            match is_raw.then(|| raw_string(&text[end..])).flatten() {
                Some(length) => (Token::Literal, end + length),
                None => (Token::Word, end),
            }
        }
        c => (Token::Mark, c.len_utf8()),
    })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The length of the word that a text starts with.
fn word(text: &str) -> usize {
    // Most are ASCII, and most of a source is words.
    let ascii = count(text, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let rest = &text[ascii..];
    match rest.as_bytes().first() {
        Some(byte) if !byte.is_ascii() => ascii + rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
        _ => ascii,
    }
}

/// How many bytes at the start of a text are such.
fn count(text: &str, is_such: impl Fn(u8) -> bool) -> usize {
    let bytes = text.as_bytes();
    let mut end = 0;
    while end < bytes.len() && is_such(bytes[end]) {
        end += 1;
    }
    end
}

/// The length of a string that a text starts with. One that does not end takes all.
fn string(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}

/// The length of a raw string without what is before its hashes, if there is one.
fn raw_string(text: &str) -> Option<usize> {
    let hashes = text.bytes().take_while(|byte| *byte == b'#').count();
    let inner = text[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = inner.find(&end).map(|at| hashes + 1 + at + end.len());
    Some(length.unwrap_or(text.len()))
}

/// A character, or the mark of a lifetime.
fn character(text: &str) -> (Token, usize) {
    let mut inner = text.chars().skip(1);
    match (inner.next(), inner.next()) {
        (Some('\\'), Some(escaped)) => {
            let behind = 2 + escaped.len_utf8();
            let end = text[behind..].find('\'');
            (
                Token::Literal,
                end.map_or(text.len(), |end| behind + end + 1),
            )
        }
        (Some(c), Some('\'')) => (Token::Literal, 2 + c.len_utf8()),
        _ => (Token::Mark, 1),
    }
}

/// The length of a comment that may have others in it.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(found) = text[at..].find(['/', '*']) {
        at += found;
        match text.as_bytes().get(at..at + 2) {
            Some(b"/*") => depth += 1,
            Some(b"*/") => depth = depth.saturating_sub(1),
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}
