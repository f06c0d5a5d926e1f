//! The lines of a source, and which of them are code alone.

use super::token::{Token, Tokens};

/// A line, or several that a string or a comment makes one of.
pub(super) struct Line<'a> {
    pub(super) text: &'a str,
    /// Whether it is one line of code without comments. What rustfmt leaves alone is none: attributes of several lines.
    pub(super) is_code: bool,
    /// What ends it: nothing at the end of a source.
    pub(super) end: &'a str,
}

/// The lines of a source: put together, they are the source.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let (mut start, mut is_code, mut is_attribute, mut depth) = (0, true, false, 0_usize);
    let end = (Token::LineEnd, text.len()..text.len());
    for (token, range) in Tokens::of(text).chain([end]) {
        match token {
            Token::LineEnd => {
                let (line, end) = (&text[start..range.start], &text[range.clone()]);
                is_attribute |= line.trim_start().starts_with('#');
                lines.push(Line {
                    text: line,
                    is_code: is_code && !is_attribute,
                    end,
                });
                is_attribute &= depth > 0;
                depth = if is_attribute { depth } else { 0 };
                (start, is_code) = (range.end, true);
            }
            Token::Comment => is_code = false,
            Token::Literal if text[range.clone()].contains('\n') => is_code = false,
            Token::Open => depth += 1,
            Token::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    lines
}
