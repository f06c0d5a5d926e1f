//! Identifiers.

use std::collections::{BTreeMap, BTreeSet};

use crate::reserved::is_keyword;

use super::Piece;
use super::token::Token;

/// A name in Rust source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::external) struct Identifier(String);

impl Identifier {
    /// A word as Rust takes it for a name, or `unnamed` if nothing of it can stand in one.
    pub(in crate::external) fn of(word: &str, unnamed: &'static str) -> Self {
        let word: String = word
            .chars()
            .filter(|c| *c == '_' || is_letter(*c))
            .collect();
        Self(match word.chars().next() {
            _ if word.chars().all(|c| c == '_') => unnamed.to_owned(),
            Some('0'..='9') => format!("_{word}"),
            _ if is_keyword(&word) => format!("{word}_"),
            _ => word,
        })
    }

    /// The name with something behind it.
    pub(in crate::external) fn with(&self, end: &'static str) -> Self {
        let name = format!("{}{end}", self.0.trim_end_matches('_'));
        Self::of(&name, "_")
    }

    fn numbered(&self, between: &'static str, number: usize) -> Self {
        // Two underscores in a row are in no name.
        let name = self.0.trim_end_matches('_');
        Self(format!("{name}{between}{number}"))
    }

    pub(in crate::external) fn as_str(&self) -> &str {
        &self.0
    }
}

impl Piece for Identifier {
    fn text(&self) -> &str {
        &self.0
    }

    fn push_tokens(&self, tokens: &mut Vec<Token>) {
        tokens.push(Token::Foreign(self.0.clone()));
    }
}

/// Names that are given to something.
#[derive(Debug, Default)]
pub(in crate::external) struct Taken {
    names: BTreeSet<Identifier>,
    /// The next number of a name that is asked for again.
    next: BTreeMap<Identifier, usize>,
}

impl Taken {
    /// Takes a name, if nothing else has it.
    pub(in crate::external) fn take(&mut self, name: &Identifier) -> bool {
        self.names.insert(name.clone())
    }

    /// A name that nothing else has: the one that is given, or with a number behind it.
    pub(in crate::external) fn unique(
        &mut self,
        name: Identifier,
        between: &'static str,
    ) -> Identifier {
        if self.take(&name) {
            return name;
        }
        let mut number = self.next.get(&name).copied().unwrap_or(2);
        let mut free = name.numbered(between, number);
        while !self.take(&free) {
            number += 1;
            free = name.numbered(between, number);
        }
        self.next.insert(name, number + 1);
        free
    }
}

/// Whether a name may have the letter: those of Latin are told apart by everybody, and rustc warns of others.
pub(in crate::external) fn is_letter(c: char) -> bool {
    matches!(c, 'a'..='z' | 'A'..='Z' | '0'..='9'
        | 'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ž' | 'Ơ' | 'ơ' | 'Ư' | 'ư' | 'Ạ'..='ỹ')
        && plain(c).is_none()
}

/// What stands for a letter that looks like others.
pub(in crate::external) fn plain(c: char) -> Option<&'static str> {
    Some(match c {
        'Æ' => "Ae",
        'æ' => "ae",
        'Œ' => "Oe",
        'œ' => "oe",
        'İ' => "I",
        'ı' => "i",
        'Ĳ' => "Ij",
        'ĳ' => "ij",
        'ĸ' => "k",
        'Ŀ' => "L",
        'ŀ' => "l",
        'ŉ' => "n",
        _ => return None,
    })
}

/// Whether a character is not seen, or changes in which order others are: rustc and clippy let none of these stand in a
/// source.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_becomes_a_name() {
        for (word, name) in [
            ("dns_names", "dns_names"),
            ("größe", "größe"),
            ("1st", "_1st"),
            ("type", "type_"),
            ("Self", "Self_"),
            ("_", "field"),
            ("", "field"),
            ("a b\n}", "ab"),
            ("名前", "field"),
            ("r#fn", "rfn"),
        ] {
            let identifier = Identifier::of(word, "field");
            assert_eq!(identifier.as_str(), name);
            syn::parse_str::<syn::Ident>(name).expect(name);
        }
    }

    #[test]
    fn every_letter_stands_in_a_name() {
        let letters = ('\0'..=char::MAX).filter(|c| is_letter(*c));
        for name in letters.map(|c| format!("x_{c}")) {
            syn::parse_str::<syn::Ident>(&name).expect(&name);
        }
    }

    #[test]
    fn names_differ() {
        let mut taken = Taken::default();
        for (word, name) in [
            ("self", "self_"),
            ("self", "self_2"),
            ("self_2", "self_2_2"),
            ("self", "self_3"),
        ] {
            let unique = taken.unique(Identifier::of(word, "field"), "_");
            assert_eq!(unique.as_str(), name);
        }
    }
}
