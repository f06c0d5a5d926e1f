//! The files of a version as those of another one: paths that lead into the version lead into the other one, if it has
//! what they name.

use std::ops::Range;
use std::str::FromStr as _;

use proc_macro2::{Delimiter, Group, Literal, TokenStream, TokenTree};

use crate::error::Result;

use super::krate::Crate;
use super::module::Path;
use super::parse::lex;
use super::token_path::{Start, branches, end_of, is_after_colon, leaves, merged_use, tokens_of};

/// A version of a kind that becomes another one.
pub(crate) struct Move<'a> {
    pub(crate) krate: &'a Crate<'a>,
    /// What the API crate is called elsewhere.
    pub(crate) name: &'a str,
    /// The modules of the group and of the kind.
    pub(crate) group: &'a str,
    pub(crate) module: &'a str,
    /// The versions.
    pub(crate) from: &'a str,
    pub(crate) to: &'a str,
}

/// What becomes another text.
type Edit = (Range<usize>, String);

impl Move<'_> {
    /// The text of a file of the version. `module` is where it is in the API crate; a test is not there.
    ///
    /// # Errors
    /// It is not Rust.
    pub(crate) fn text(&self, file: &str, text: &str, module: Option<&[String]>) -> Result<String> {
        let tokens = lex(file, text)?;
        let mut edits = Vec::new();
        self.walk(&tokens_of(tokens), module, text, 0, &mut edits)?;
        edits.sort_by_key(|(range, _)| range.start);
        let (mut moved, mut end) = (String::with_capacity(text.len()), 0);
        for (range, new) in edits {
            if range.start < end {
                continue;
            }
            moved.push_str(&text[end..range.start]);
            moved.push_str(&new);
            end = range.end;
        }
        Ok(moved + &text[end..])
    }

    /// Finds what to edit among tokens that are `offset` bytes into the text.
    fn walk(
        &self,
        tokens: &[TokenTree],
        module: Option<&[String]>,
        text: &str,
        offset: usize,
        edits: &mut Vec<Edit>,
    ) -> Result<()> {
        let mut index = 0;
        while let Some(token) = tokens.get(index) {
            match token {
                TokenTree::Ident(ident) if !is_after_colon(tokens, index) => {
                    if ident == "mod"
                        && let (Some(TokenTree::Ident(name)), Some(TokenTree::Group(group))) =
                            (tokens.get(index + 1), tokens.get(index + 2))
                    {
                        let name = name.to_string();
                        let inner = module.map(|module| [module, &[name]].concat());
                        let body = tokens_of(group.stream());
                        self.walk(&body, inner.as_deref(), text, offset, edits)?;
                        index += 3;
                        continue;
                    }
                    if ident == "kube"
                        && let Some(TokenTree::Group(group)) = tokens.get(index + 1)
                    {
                        self.version(group, edits);
                    }
                    if let Some(start) = Start::of(tokens, index, module, self.name) {
                        index = self.path(tokens, &start, offset, edits)?;
                        continue;
                    }
                }
                TokenTree::Group(group) => {
                    self.walk(&tokens_of(group.stream()), module, text, offset, edits)?;
                }
                TokenTree::Literal(literal) => {
                    self.literal(literal, module, text, offset, edits)?;
                }
                _ => {}
            }
            index += 1;
        }
        Ok(())
    }

    /// The version in the attribute of kube.
    fn version(&self, group: &Group, edits: &mut Vec<Edit>) {
        for three in tokens_of(group.stream()).windows(3) {
            let [
                TokenTree::Ident(name),
                TokenTree::Punct(_),
                TokenTree::Literal(value),
            ] = three
            else {
                continue;
            };
            if name == "version" && value.to_string() == format!("\"{}\"", self.from) {
                edits.push((value.span().byte_range(), format!("\"{}\"", self.to)));
            }
        }
    }

    /// A path in a string, as attributes have them, or in a comment for documents.
    fn literal(
        &self,
        literal: &Literal,
        module: Option<&[String]>,
        text: &str,
        offset: usize,
        edits: &mut Vec<Edit>,
    ) -> Result<()> {
        let range = literal.span().byte_range();
        let Some(written) = text.get(range.start + offset..range.end + offset) else {
            return Ok(());
        };
        if offset > 0 || !written.contains("::") {
            return Ok(());
        }
        let is_path = |c: char| c.is_alphanumeric() || "_:<>, ".contains(c);
        if let Some(content) = written
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'))
        {
            if content.chars().all(is_path)
                && let Ok(tokens) = TokenStream::from_str(content)
            {
                let start = range.start + 1;
                let mut inner = Vec::new();
                self.walk(&tokens_of(tokens), module, text, start, &mut inner)?;
                edits.extend(inner);
            }
            return Ok(());
        }
        let old = format!("crate::{}::{}::", self.group, self.from);
        for (start, _) in written.match_indices(&old) {
            let rest = &written[start + old.len()..];
            let end = rest
                .find(|c: char| !is_path(c) || c == ' ')
                .unwrap_or(rest.len());
            let path: Path = rest[..end]
                .trim_end_matches(':')
                .split("::")
                .map(str::to_owned)
                .collect();
            if self.has(&path)? {
                let version = range.start + start + old.len() - 2 - self.from.len();
                edits.push((version..version + self.from.len(), self.to.to_owned()));
            }
        }
        Ok(())
    }

    /// A path that begins at `start`. Gives where it ends.
    fn path(
        &self,
        tokens: &[TokenTree],
        start: &Start,
        offset: usize,
        edits: &mut Vec<Edit>,
    ) -> Result<usize> {
        let version: Path = [self.group, self.from].map(str::to_owned).to_vec();
        let (leaves, end) = leaves(tokens, start.next, &start.path);
        let shift = |range: Range<usize>| range.start + offset..range.end + offset;
        if start.is_super && start.path.starts_with(&version) {
            if start.path == version {
                let (kept, others) = self.split(&leaves, &version)?;
                let range = shift(start.range.clone());
                if kept.is_empty() && !others.is_empty() {
                    edits.push((range, format!("crate::{}::{}", self.group, self.from)));
                } else if !others.is_empty() {
                    let old = format!("crate::{}::{}", self.group, self.from);
                    let all = merged_use(("super", &kept), (&old, &others));
                    edits.push((range.start..end_of(tokens, end, offset), all));
                }
            }
            return Ok(end);
        }
        // The word of the version, in each branch that leads into it.
        self.words(tokens, start.next, &start.path, &version, offset, edits)?;
        Ok(end)
    }

    /// Edits the word of the version in the branches of a path.
    fn words(
        &self,
        tokens: &[TokenTree],
        mut index: usize,
        path: &[String],
        version: &[String],
        offset: usize,
        edits: &mut Vec<Edit>,
    ) -> Result<()> {
        let mut path = path.to_vec();
        while let Some(token) = tokens.get(index) {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == ':' => {}
                TokenTree::Ident(ident)
                    if path.is_empty() || is_after_colon(tokens, index) || index == 0 =>
                {
                    path.push(ident.to_string());
                    if path == version {
                        let (leaves, end) = leaves(tokens, index + 1, &path);
                        let (kept, others) = self.split(&leaves, version)?;
                        let local = ident.span().byte_range();
                        let range = local.start + offset..local.end + offset;
                        if others.is_empty() && !kept.is_empty() {
                            edits.push((range, self.to.to_owned()));
                        } else if !kept.is_empty() {
                            let all = merged_use((self.to, &kept), (self.from, &others));
                            edits.push((range.start..end_of(tokens, end, offset), all));
                        }
                        return Ok(());
                    }
                }
                TokenTree::Group(group)
                    if group.delimiter() == Delimiter::Brace && is_after_colon(tokens, index) =>
                {
                    let inner = tokens_of(group.stream());
                    for branch in branches(&inner) {
                        self.words(branch, 0, &path, version, offset, edits)?;
                    }
                    return Ok(());
                }
                _ => return Ok(()),
            }
            index += 1;
        }
        Ok(())
    }

    /// Paths in the version that the other one has too, and the others.
    fn split(&self, leaves: &[Path], version: &[String]) -> Result<(Vec<Path>, Vec<Path>)> {
        let (mut kept, mut others) = (Vec::new(), Vec::new());
        for leaf in leaves {
            let rest = leaf.strip_prefix(version).unwrap_or(leaf).to_vec();
            if self.has(&rest)? {
                kept.push(rest);
            } else {
                others.push(rest);
            }
        }
        Ok((kept, others))
    }

    /// Whether the other version has what a path in this one names.
    fn has(&self, path: &[String]) -> Result<bool> {
        let plain = path
            .iter()
            .map(|part| part.split(" as ").next().unwrap_or(part).to_owned());
        let path: Path = plain.collect();
        let Some((first, rest)) = path.split_first() else {
            return Ok(false);
        };
        // All of the kind is copied.
        if first == self.module {
            return Ok(true);
        }
        let mut module: Path = [self.group, self.to].map(str::to_owned).to_vec();
        if first == "*" {
            let old = [self.group, self.from].map(str::to_owned);
            let (old, new) = (self.krate.module(&old)?, self.krate.module(&module)?);
            let (Some(old), Some(new)) = (old, new) else {
                return Ok(false);
            };
            return Ok(old.names.keys().all(|name| new.names.contains_key(name)));
        }
        let mut name = first;
        for next in rest {
            let inner = [&module[..], std::slice::from_ref(name)].concat();
            if self.krate.module(&inner)?.is_none() {
                // What follows belongs to a type.
                break;
            }
            module = inner;
            name = next;
        }
        let module = self.krate.module(&module)?;
        let has = |name: &String| {
            let name = name.trim_start_matches("r#");
            module.as_ref().is_some_and(|module| {
                module.names.contains_key(name) || module.values.contains(name)
            })
        };
        Ok(name == "*" || name == "self" || has(name))
    }
}
