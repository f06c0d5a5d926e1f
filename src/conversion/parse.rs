//! Rust files as syntax trees.

use std::str::FromStr as _;

use proc_macro2::{Delimiter, LineColumn, TokenStream, TokenTree};

use crate::error::{Error, Result};

/// How deep a file can be nested. rustc gives up at this depth too, and a parser would run out of stack.
const DEPTH: usize = 128;

/// The tokens of a file.
///
/// # Errors
/// There are none, or they are nested too deep.
pub(super) fn lex(path: &str, text: &str) -> Result<TokenStream> {
    let tokens = TokenStream::from_str(text)
        .map_err(|error| failed(path, error.span().start(), &error.to_string()))?;
    if let Some(place) = too_deep(tokens.clone()) {
        let message = format!("more than {DEPTH} levels are nested here");
        return Err(failed(path, place, &message).hint("name a part of it: `type Part = …;`"));
    }
    Ok(tokens)
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
    Error::new(format!("line {line}, column {column}: {error}"))
        .context(format!("failed to read `{path}`"))
}

/// Where brackets, angle brackets or operators are nested too deep.
fn too_deep(tokens: TokenStream) -> Option<LineColumn> {
    let mut stack = vec![(tokens.into_iter(), 0, 0)];
    while let Some((tokens, angles, prefixes)) = stack.last_mut() {
        let Some(token) = tokens.next() else {
            stack.pop();
            continue;
        };
        let place = token.span().start();
        match token {
            TokenTree::Group(group) => {
                *prefixes = 0;
                if group.delimiter() == Delimiter::Brace {
                    *angles = 0;
                }
                stack.push((group.stream().into_iter(), 0, 0));
                if stack.len() > DEPTH {
                    return Some(place);
                }
            }
            TokenTree::Punct(punct) => {
                match punct.as_char() {
                    '<' => *angles += 1,
                    '>' => *angles = usize::saturating_sub(*angles, 1),
                    ';' => *angles = 0,
                    _ => {}
                }
                *prefixes = match punct.as_char() {
                    '&' | '!' | '*' | '-' | '|' => *prefixes + 1,
                    _ => 0,
                };
                if *angles > DEPTH || *prefixes > DEPTH {
                    return Some(place);
                }
            }
            TokenTree::Ident(_) | TokenTree::Literal(_) => *prefixes = 0,
        }
    }
    None
}
