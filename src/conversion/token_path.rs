//! Paths among tokens.

use std::ops::Range;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::krate::written;
use super::module::Path;

/// The beginning of a path that can lead into a version.
pub(super) struct Start {
    /// Where it leads, from the root of the API crate.
    pub(super) path: Path,
    /// Where it is in the text.
    pub(super) range: Range<usize>,
    /// Whether it is relative.
    pub(super) is_super: bool,
    /// The token after it.
    pub(super) next: usize,
}

impl Start {
    /// The one at a token, if there is one. `module` is where it is, and `name` what the API crate is called.
    pub(super) fn of(
        tokens: &[TokenTree],
        index: usize,
        module: Option<&[String]>,
        name: &str,
    ) -> Option<Self> {
        let ident = |index: usize| match tokens.get(index) {
            Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
            _ => None,
        };
        let first = ident(index)?;
        let start = tokens[index].span().byte_range().start;
        let mut next = index + 1;
        if first == "crate" || first == name {
            let (range, path) = (tokens[index].span().byte_range(), Path::new());
            return is_colons(tokens, next).then_some(Self {
                path,
                range,
                is_super: false,
                next,
            });
        }
        if first != "super" && !(first == "self" && ident(index + 3).as_deref() == Some("super")) {
            return None;
        }
        let mut path = module?.to_vec();
        if first == "super" {
            path.pop()?;
        }
        while is_colons(tokens, next) && ident(next + 2).as_deref() == Some("super") {
            path.pop()?;
            next += 3;
        }
        let end = tokens[next - 1].span().byte_range().end;
        is_colons(tokens, next).then_some(Self {
            path,
            range: start..end,
            is_super: true,
            next,
        })
    }
}

pub(super) fn tokens_of(stream: TokenStream) -> Vec<TokenTree> {
    stream.into_iter().collect()
}

/// Whether `::` begins at a token.
fn is_colons(tokens: &[TokenTree], index: usize) -> bool {
    let is_colon = |index: usize| matches!(tokens.get(index), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    is_colon(index) && is_colon(index + 1)
}

/// Whether a token goes on with a path.
pub(super) fn is_after_colon(tokens: &[TokenTree], index: usize) -> bool {
    index >= 2 && is_colons(tokens, index - 2)
}

/// The paths that go on from a token, each from the root of the crate, and where they end.
pub(super) fn leaves(
    tokens: &[TokenTree],
    mut index: usize,
    path: &[String],
) -> (Vec<Path>, usize) {
    let mut path = path.to_vec();
    loop {
        if !is_colons(tokens, index) {
            return (vec![path], index);
        }
        match tokens.get(index + 2) {
            Some(TokenTree::Ident(ident)) => {
                path.push(ident.to_string());
                index += 3;
                if matches!(tokens.get(index), Some(TokenTree::Ident(word)) if word == "as")
                    && let Some(TokenTree::Ident(name)) = tokens.get(index + 1)
                {
                    if let Some(last) = path.last_mut() {
                        *last = format!("{last} as {name}");
                    }
                    return (vec![path], index + 2);
                }
            }
            Some(TokenTree::Punct(punct)) if punct.as_char() == '*' => {
                path.push("*".to_owned());
                return (vec![path], index + 3);
            }
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                let inner = tokens_of(group.stream());
                let mut all = Vec::new();
                for branch in branches(&inner) {
                    let Some(TokenTree::Ident(ident)) = branch.first() else {
                        if matches!(branch.first(), Some(TokenTree::Punct(_))) {
                            all.push([&path[..], &["*".to_owned()]].concat());
                        }
                        continue;
                    };
                    let mut start = [&path[..], &[ident.to_string()]].concat();
                    if let [_, TokenTree::Ident(word), TokenTree::Ident(name)] = branch
                        && word == "as"
                        && let Some(last) = start.last_mut()
                    {
                        *last = format!("{last} as {name}");
                    }
                    all.extend(leaves(branch, 1, &start).0);
                }
                return (all, index + 3);
            }
            _ => return (vec![path], index),
        }
    }
}

/// What is between commas.
pub(super) fn branches(tokens: &[TokenTree]) -> Vec<&[TokenTree]> {
    let is_comma =
        |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
    let branches = tokens.split(is_comma);
    branches.filter(|branch| !branch.is_empty()).collect()
}

/// Where the token before `end` ends in the text.
pub(super) fn end_of(tokens: &[TokenTree], end: usize, offset: usize) -> usize {
    tokens[end - 1].span().byte_range().end + offset
}

/// The paths of a `use` from two modules.
pub(super) fn merged_use(left: (&str, &[Path]), right: (&str, &[Path])) -> String {
    let list = |(module, paths): (&str, &[Path])| {
        let mut paths: Vec<_> = paths
            .iter()
            .map(|path| {
                let path: Vec<_> = path
                    .iter()
                    .map(|part| {
                        if part.contains([' ', '*', '#']) {
                            part.clone()
                        } else {
                            written(part)
                        }
                    })
                    .collect();
                path.join("::")
            })
            .collect();
        paths.sort();
        match &paths[..] {
            [path] => format!("{module}::{path}"),
            paths => format!("{module}::{{{}}}", paths.join(", ")),
        }
    };
    let mut lists = [list(left), list(right)];
    lists.sort();
    format!("{{{}}}", lists.join(", "))
}
