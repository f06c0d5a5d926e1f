//! Rust files as syntax trees.

use std::iter::Peekable;
use std::str::FromStr as _;

use proc_macro2::{Delimiter, Group, LineColumn, TokenStream, TokenTree};

use crate::error::{Code, Error, Result};

/// How deep a file can be nested. rustc gives up at this depth too, and a parser would run out of stack.
const DEPTH: usize = 128;

/// How many tokens can follow each other in one expression or one type, counted with those around it. Each may be one
/// more level: `&'static &'static u8`.
const RUN: usize = 512;

/// The tokens of a file.
///
/// # Errors
/// There are none, or they are nested too deep.
pub(super) fn lex(path: &str, text: &str) -> Result<TokenStream> {
    let tokens = TokenStream::from_str(text)
        .map_err(|error| failed(path, error.span().start(), &error.to_string()))?;
    if let Some(place) = too_deep(tokens.clone()) {
        let message = format!("nested more than {DEPTH} levels or {RUN} tokens deep");
        let hint = "move a part to its own item: `type Part = …;` or `let part = …;`";
        return Err(failed(path, place, &message).hint(hint));
    }
    Ok(tokens)
}

/// Parses the text of a type, which stands in an attribute. None if it is none, or is nested too deep.
pub(super) fn parse_type(text: &str) -> Option<syn::Type> {
    let tokens = TokenStream::from_str(text).ok()?;
    match too_deep(tokens.clone()) {
        Some(_) => None,
        None => syn::parse2(tokens).ok(),
    }
}

/// Parses a file.
///
/// # Errors
/// It is not Rust, or is nested too deep.
pub(super) fn parse(path: &str, text: &str) -> Result<syn::File> {
    lex(path, text)?;
    syn::parse_file(text).map_err(|error| failed(path, error.span().start(), &error.to_string()))
}

fn failed(path: &str, place: LineColumn, error: &str) -> Error {
    let (line, column) = (place.line, place.column + 1);
    Error::new(
        Code::MalformedFile,
        format!("line {line}, column {column}: {error}"),
    )
    .context(format!("failed to read `{path}`"))
}

/// Where brackets or angle brackets are nested too deep, or so many tokens follow each other that they may be: what
/// stands between commas, semicolons and braces is one expression or one type.
fn too_deep(tokens: TokenStream) -> Option<LineColumn> {
    let mut stack = vec![Level::new(tokens, 0)];
    while let Some(level) = stack.last_mut() {
        let Some(token) = level.tokens.next() else {
            stack.pop();
            continue;
        };
        let place = token.span().start();
        level.run += 1;
        if level.run > RUN {
            return Some(place);
        }
        match &token {
            TokenTree::Group(group) => {
                let inner = Level::new(group.stream(), level.run);
                if level.ends(group) {
                    (level.run, level.angles) = (level.start, 0);
                }
                // A line of documentation is an attribute.
                if let Some(run) = level.attribute.take() {
                    level.run = run;
                }
                stack.push(inner);
                if stack.len() > DEPTH {
                    return Some(place);
                }
            }
            TokenTree::Punct(punct) => match punct.as_char() {
                '<' => level.angles += 1,
                '>' => level.angles = level.angles.saturating_sub(1),
                ';' => (level.run, level.angles) = (level.start, 0),
                ',' => level.run = level.start,
                '#' => level.attribute = Some(level.run - 1),
                '!' => {}
                _ => level.attribute = None,
            },
            TokenTree::Ident(_) | TokenTree::Literal(_) => level.attribute = None,
        }
        if stack.last().is_some_and(|level| level.angles > DEPTH) {
            return Some(place);
        }
    }
    None
}

/// What stands between two brackets.
struct Level {
    tokens: Peekable<proc_macro2::token_stream::IntoIter>,
    angles: usize,
    /// How many tokens stand before it, in what it is a part of.
    start: usize,
    /// The same, with those that follow each other in it.
    run: usize,
    /// Where an attribute began that comes next.
    attribute: Option<usize>,
}

impl Level {
    fn new(tokens: TokenStream, start: usize) -> Self {
        Self {
            tokens: tokens.into_iter().peekable(),
            angles: 0,
            start,
            run: start,
            attribute: None,
        }
    }

    /// Whether an item or a statement ends with a group: nothing follows that could go on with it.
    fn ends(&mut self, group: &Group) -> bool {
        let goes_on = match self.tokens.peek() {
            Some(TokenTree::Ident(word)) => word == "else" || word == "as",
            Some(TokenTree::Punct(punct)) => punct.as_char() != '#',
            _ => false,
        };
        group.delimiter() == Delimiter::Brace && !goes_on
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_source_is_nested_deeper_than_the_stack() {
        let thread = std::thread::Builder::new()
            .stack_size(crate::cli::STACK / 2)
            .spawn(parse_all)
            .expect("a thread");
        thread.join().expect("an end");
    }

    fn parse_all() {
        for (start, repeated, end) in [
            ("type T = ", "&'static ", "u8;"),
            ("type T = ", "*const ", "u8;"),
            ("type T = ", "fn() -> ", "u8;"),
            ("type T = ", "impl Fn() -> ", "u8;"),
            ("fn f() { ", "a = ", "1; }"),
            ("fn f() { ", "return ", "1; }"),
            ("fn f() { ", "break ", "1; }"),
            ("fn f() { ", ".. ", "1; }"),
            ("fn f() { ", "!", "1; }"),
            ("fn f() { ", "|a| ", "1; }"),
            ("fn f() { ", "async move {} + ", "1; }"),
            ("fn f() { a", ".b()", "; }"),
            ("fn f() { a", "()", "; }"),
            ("fn f() { a", "?", "; }"),
            ("fn f() { a", " as u8", "; }"),
            ("fn f() { a ", "+ a ", "; }"),
            ("fn f() { ", "if a {} else ", "{} }"),
            ("fn f() { let ", "a @ ", "b = 1; }"),
            ("fn f() { let ", "&", "b = 1; }"),
            ("use ", "a::", "b;"),
            ("type T = ", "a::", "b;"),
            ("type T = ", "a<", "b;"),
            ("type T = ", "[", "b;"),
            ("const A: u8 = ", "-", "1;"),
            ("const A: u8 = ", "if 1 { a = ", "1;"),
            ("type T = a", "+ b", ";"),
            ("#", "[a = a", "]"),
        ] {
            for times in [100, 300, 900, 60_000] {
                let text = format!("{start}{}{end}", repeated.repeat(times));
                // Most are none, and what is one is looked at, copied and given back.
                if let Ok(file) = parse("a.rs", &text) {
                    assert_eq!(file.clone(), file);
                    assert!(times < 60_000, "{start}{repeated}");
                }
            }
        }
    }

    #[test]
    fn items_one_after_the_other_are_not_nested() {
        let items = "#[a] pub fn f() -> u8 { if a {} else {} match b {} c }\nimpl A for B {}\n"
            .repeat(2000);
        assert!(parse("a.rs", &items).is_ok());
        let documented = format!("{}struct A;", "/// A line.\n".repeat(2000));
        assert!(
            parse(
                "a.rs",
                &format!("{}{documented}", "//! A line.\n".repeat(2000))
            )
            .is_ok()
        );
        let fields = "pub a: Vec<u8>, #[serde(default)] pub b: u8,".repeat(2000);
        assert!(parse("a.rs", &format!("struct A {{ {fields} }}")).is_ok());
    }
}
