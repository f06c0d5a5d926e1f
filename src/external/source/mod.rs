//! Rust source about what others wrote.
//!
//! rop's own text stands in it as it is. What comes from a CRD gets in as a literal, a comment or an identifier, each
//! made here, and in no other way. A source also has the tokens that it is meant to be: [`Source::checked`] compares
//! them with those that its text really is.

mod document;
mod identifier;
mod literal;
mod token;

pub(super) use document::{described, remark};
pub(super) use identifier::{Identifier, Taken, is_letter, plain};
pub(super) use literal::{array, json, object, object_with, parsed, string};

use std::collections::BTreeSet;

use token::Token;

/// Rust source.
#[derive(Clone, Debug, Default)]
pub(super) struct Source {
    text: String,
    tokens: Vec<Token>,
}

/// What stands in the place of a `$`.
pub(super) trait Piece {
    fn text(&self) -> &str;
    fn push_tokens(&self, tokens: &mut Vec<Token>);
}

impl Piece for Source {
    fn text(&self) -> &str {
        &self.text
    }

    fn push_tokens(&self, tokens: &mut Vec<Token>) {
        tokens.extend_from_slice(&self.tokens);
    }
}

impl Source {
    /// rop's own text, whose brackets are closed, with a piece for each `$`.
    pub(super) fn of(text: &'static str, pieces: &[&dyn Piece]) -> Self {
        let mut source = Self::default();
        source.add(text, pieces);
        source
    }

    /// Adds rop's own text, as [`Source::of`] takes it.
    pub(super) fn add(&mut self, text: &'static str, pieces: &[&dyn Piece]) {
        let tokens = token::own(text);
        // What is not Rust is not what is meant: the comparison says so.
        debug_assert!(tokens.is_some(), "{text}");
        let mut rest = pieces.iter();
        for token in tokens.as_deref().unwrap_or_default() {
            match (*token == Token::HOLE).then(|| rest.next()) {
                Some(Some(piece)) => piece.push_tokens(&mut self.tokens),
                _ => self.tokens.push(token.clone()),
            }
        }
        debug_assert!(rest.next().is_none(), "{text}");
        let mut pieces = pieces.iter();
        for (index, part) in text.split('$').enumerate() {
            let piece = (index > 0).then(|| pieces.next()).flatten();
            self.text += piece.map_or("", |piece| piece.text());
            self.text += part;
        }
    }

    /// Adds another source.
    pub(super) fn push(&mut self, other: Self) {
        self.text += &other.text;
        self.tokens.extend(other.tokens);
    }

    /// Sources with a text of rop's between each two of them.
    pub(super) fn joined(parts: impl IntoIterator<Item = Self>, between: &'static str) -> Self {
        let mut joined = Self::default();
        for (index, part) in parts.into_iter().enumerate() {
            if index > 0 {
                joined.add(between, &[]);
            }
            joined.push(part);
        }
        joined
    }

    /// So many spaces.
    pub(super) fn spaces(count: usize) -> Self {
        Self {
            text: " ".repeat(count),
            tokens: Vec::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// How many characters it has.
    pub(super) fn width(&self) -> usize {
        self.text.chars().count()
    }

    /// The identifiers that are rop's own: what is called after something of a CRD is none of them.
    pub(super) fn own_identifiers(&self) -> BTreeSet<&str> {
        self.tokens
            .iter()
            .filter_map(Token::own_identifier)
            .collect()
    }

    /// Its text, if Rust reads it as what it is meant to be.
    ///
    /// # Errors
    /// Where it is something else: what stands before it.
    pub(super) fn checked(self) -> Result<String, String> {
        let unreadable = |c: char| (c.is_control() && c != '\n') || identifier::is_invisible(c);
        if let Some(index) = self.text.find(unreadable) {
            return Err(tail(&self.text[..index]));
        }
        let Some(read) = token::of_text(&self.text) else {
            return Err("the whole of it".to_owned());
        };
        let is_same = read.iter().zip(&self.tokens);
        let same = is_same.take_while(|(left, right)| left.is(right)).count();
        if same == read.len() && same == self.tokens.len() {
            Ok(self.text)
        } else {
            Err(token::declaration(&self.tokens[..same]))
        }
    }
}

#[cfg(test)]
pub(super) fn identifiers(text: &str) -> BTreeSet<String> {
    let tokens = token::of_text(text).unwrap_or_default();
    let names = tokens.iter().filter_map(Token::own_identifier);
    names.map(str::to_owned).collect()
}

/// The last line of a text that has something.
fn tail(text: &str) -> String {
    let line = text.lines().rev().find(|line| !line.trim().is_empty());
    line.unwrap_or_default().trim().to_owned()
}

impl Extend<Source> for Source {
    fn extend<I: IntoIterator<Item = Source>>(&mut self, parts: I) {
        parts.into_iter().for_each(|part| self.push(part));
    }
}

impl FromIterator<Source> for Source {
    fn from_iter<I: IntoIterator<Item = Source>>(parts: I) -> Self {
        Self::joined(parts, "")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_stand_where_they_are_meant() {
        let name = Identifier::of("é", "Value");
        let source = Source::of("pub const $: &str = $;\n", &[&name, &string("a\"$;")]);
        let text = "pub const é: &str = r#\"a\"$;\"#;\n";
        assert_eq!(source.checked().as_deref(), Ok(text));
    }

    /// The second wall, with the first one taken away.
    #[test]
    fn what_reads_otherwise_is_found() {
        for text in [
            "\"a\"; fn injected() {} const B: &str = \"\"",
            "\"b\"",
            "\"a\u{202e}\"",
            "\"a\" // \r",
            "\"",
        ] {
            let piece = Source {
                text: text.to_owned(),
                ..string("a")
            };
            let source = Source::of("pub struct Widget {}\nconst A: &str = $;\n", &[&piece]);
            assert!(source.checked().is_err(), "{text}");
        }
        let piece = Source {
            text: "\"b\"".to_owned(),
            ..string("a")
        };
        let source = Source::of("pub struct Widget { a: $ }", &[&piece]);
        assert_eq!(source.checked(), Err("struct Widget".to_owned()));
    }

    #[test]
    fn own_identifiers_are_none_of_a_crd() {
        let name = Identifier::of("Value", "Value");
        let source = Source::of("pub enum $ { $ }\nfn a() -> Time {}", &[&name, &name]);
        assert!(source.own_identifiers().contains("Time"));
        assert!(!source.own_identifiers().contains("Value"));
    }
}
