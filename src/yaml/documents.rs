//! The documents of a text, as kubectl reads them.

use std::fmt;

use granit_parser::{ErrorKind, Event, Parser, ScanError};
use serde::de::IgnoredAny;
use serde_json::Value;

use super::builder::{Builder, DEEPEST, too_deep};

/// A document that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    /// The line of the text, from 1.
    line: usize,
    /// The column, from 1.
    column: usize,
    why: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, why } = self;
        write!(formatter, "line {line}, column {column}: {why}")
    }
}

/// Reads the documents of a text, YAML or JSON. One that is malformed does not spoil the others.
pub(crate) fn documents(text: &str) -> Vec<Result<Value, Malformed>> {
    let mut documents = Vec::new();
    let (json, yaml) = text.split_at(json(text));
    let mut start = 0;
    for end in ends(json) {
        read(json, start..end, text.len(), &mut documents);
        start = end;
    }
    if !yaml.trim().is_empty() || json.is_empty() {
        read(text, json.len()..text.len(), 1024, &mut documents);
    }
    documents
}

/// Where the documents of JSON end that a text starts with.
fn ends(text: &str) -> impl Iterator<Item = usize> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    std::iter::from_fn(move || {
        stream.next()?.ok()?;
        Some(stream.byte_offset())
    })
}

/// How much of a text is documents of JSON, one after the other.
fn json(text: &str) -> usize {
    match text.trim_start().starts_with('{') {
        true => ends(text).last().unwrap_or_default(),
        false => 0,
    }
}

/// Reads the documents of a part of a text. A key that is longer than `longest_key` is none.
fn read(
    text: &str,
    part: std::ops::Range<usize>,
    longest_key: usize,
    documents: &mut Vec<Result<Value, Malformed>>,
) {
    let before = text[..part.start].matches('\n').count();
    let options = granit_parser::options! {
        block_scalar_eof_without_line_feed: true,
        emit_comments: false,
        simple_key_max_lookahead: longest_key,
        flow_nesting_limit: DEEPEST + 1,
        block_nesting_limit: DEEPEST + 1,
    };
    let mut parser = Parser::new_from_str_with_options(&text[part], options);
    let mut builder = Builder::default();
    while let Some(next) = parser.next() {
        let read = match next {
            Ok((Event::DocumentStart(..), _)) => {
                builder = Builder::default();
                continue;
            }
            Ok((Event::DocumentEnd, _)) => {
                let root = std::mem::take(&mut builder.root);
                if !root.is_null() {
                    documents.push(Ok(root));
                }
                continue;
            }
            Ok((event, span)) => {
                let (line, column) = (span.start.line(), span.start.col() + 1);
                let read = builder.read(event);
                read.map_err(|why| Malformed { line, column, why })
            }
            Err(error) => Err(malformed(&error)),
        };
        let Err(mut error) = read else {
            continue;
        };
        error.line += before;
        documents.push(Err(error));
        builder = Builder::default();
        if !matches!(parser.proceed_next_document(), Ok(true)) {
            return;
        }
    }
}

fn malformed(error: &ScanError) -> Malformed {
    let marker = error.marker();
    Malformed {
        line: marker.line(),
        column: marker.col() + 1,
        why: match error.kind() {
            ErrorKind::RecursionLimitExceeded => too_deep(),
            kind => kind.to_string(),
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What rop writes is read as it was: the library quotes what would be read as something else.
    #[test]
    fn strings_that_look_like_something_else_stay_strings() {
        let words = "0644 0x1F 1_000 yes off y N ~ null 2024-01-01 1.10 1e3 0o17 08 0b11 -0b11 .5 +5 -0x1F 1e400 1:30 \
                     +.5 0_7 _1 1_ 0x_1 .inf -.INF .NaN TRUE tRUE 0. + - = << ? | > % @ ` # & * ! {{ [ : a: --- ...";
        let words = words.split_whitespace().map(str::to_owned);
        let words = words.chain(
            [
                "",
                " a",
                "a\nb",
                "a\n---\nb",
                "\t",
                "\u{feff}",
                "\u{7f}",
                "\u{85}",
            ]
            .map(str::to_owned),
        );
        for word in words {
            let value = json!({ "a": word, &*word: ["x", { &*word: word }] });
            let text = crate::yaml::to_string(&value).expect("YAML");
            assert_eq!(documents(&text), [Ok(value)], "{text}");
        }
    }
}
