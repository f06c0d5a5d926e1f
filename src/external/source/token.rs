//! The tokens of a source, in one list.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use proc_macro2::{Delimiter, Literal, TokenStream, TokenTree};
use syn::Lit;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::external) enum Token {
    /// An identifier in rop's own text.
    Own(String),
    /// One that something of a CRD is called after.
    Foreign(String),
    /// A string or a comment of documentation, by its value.
    Text(String),
    /// Another literal.
    Literal(String),
    /// A bracket, or any other sign.
    Sign(char),
}

impl Token {
    /// What rop's own text has in the place of a piece.
    pub(super) const HOLE: Self = Self::Sign('$');

    /// The identifier, if it is rop's own.
    pub(super) fn own_identifier(&self) -> Option<&str> {
        match self {
            Self::Own(name) => Some(name),
            _ => None,
        }
    }

    /// Whether both are the same, whoever's they are.
    pub(super) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Own(left) | Self::Foreign(left), Self::Own(right) | Self::Foreign(right)) => {
                left == right
            }
            _ => self == other,
        }
    }
}

thread_local! {
    /// Those of rop's own texts, which are few and used often.
    static OWN: RefCell<HashMap<&'static str, Option<Rc<[Token]>>>> = RefCell::default();
}

/// The tokens of rop's own text. `None` where its brackets are not closed.
pub(super) fn own(text: &'static str) -> Option<Rc<[Token]>> {
    OWN.with_borrow_mut(|known| {
        let tokens = known.entry(text);
        tokens
            .or_insert_with(|| of_text(text).map(Rc::from))
            .clone()
    })
}

/// The tokens that a text is. `None` for what is not Rust.
pub(super) fn of_text(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    flatten(text.parse().ok()?, &mut tokens);
    Some(tokens)
}

fn flatten(stream: TokenStream, tokens: &mut Vec<Token>) {
    for tree in stream {
        match tree {
            TokenTree::Group(group) => {
                let signs = match group.delimiter() {
                    Delimiter::Parenthesis => Some(['(', ')']),
                    Delimiter::Brace => Some(['{', '}']),
                    Delimiter::Bracket => Some(['[', ']']),
                    Delimiter::None => None,
                };
                tokens.extend(signs.map(|[open, _]| Token::Sign(open)));
                flatten(group.stream(), tokens);
                tokens.extend(signs.map(|[_, close]| Token::Sign(close)));
            }
            TokenTree::Ident(name) => tokens.push(Token::Own(name.to_string())),
            TokenTree::Punct(sign) => tokens.push(Token::Sign(sign.as_char())),
            TokenTree::Literal(literal) => tokens.push(value(literal)),
        }
    }
}

fn value(literal: Literal) -> Token {
    match Lit::new(literal.clone()) {
        Lit::Str(text) => Token::Text(text.value()),
        _ => Token::Literal(literal.to_string()),
    }
}

/// A comment of documentation: `///`, or `//!` for what it stands in.
pub(super) fn comment(text: &str, is_inner: bool) -> impl Iterator<Item = Token> {
    let inner = is_inner.then_some(Token::Sign('!'));
    let content = [
        Token::Sign('['),
        Token::Own("doc".to_owned()),
        Token::Sign('='),
        Token::Text(text.to_owned()),
        Token::Sign(']'),
    ];
    [Token::Sign('#')].into_iter().chain(inner).chain(content)
}

/// The last declaration of a list of tokens: `struct Widget`.
pub(super) fn declaration(tokens: &[Token]) -> String {
    let name = |token: &Token| match token {
        Token::Own(name) | Token::Foreign(name) => Some(name.clone()),
        _ => None,
    };
    let mut pairs = tokens
        .windows(2)
        .rev()
        .filter_map(|pair| Some((name(&pair[0])?, name(&pair[1])?)));
    let found = pairs.find(|(word, _)| ["struct", "enum", "fn", "impl"].contains(&word.as_str()));
    found.map_or_else(
        || "its head".to_owned(),
        |(word, name)| format!("{word} {name}"),
    )
}
