//! The documents of a text, as kubectl reads them.

use std::fmt;

use granit_parser::{ErrorKind, Event, Parser, ScanError, Span};
use serde::de::IgnoredAny;
use serde_json::Value;

use super::builder::{Builder, DEEPEST, too_deep};
use super::error::MERGED;
use super::extents::{Extents, Locator};
use crate::git;

/// A document that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    /// The line of the text, from 1.
    line: usize,
    /// The column, from 1.
    column: usize,
    why: String,
}

impl Malformed {
    /// The line of the text, from 1.
    pub(crate) fn line(&self) -> usize {
        self.line
    }

    /// What is wrong there.
    pub(crate) fn why(&self) -> &str {
        &self.why
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, why } = self;
        write!(formatter, "line {line}, column {column}: {why}")
    }
}

/// A document whose parts have places.
#[derive(Clone, Debug)]
pub(crate) struct Located {
    pub(crate) value: Value,
    pub(crate) places: Extents,
}

/// Reads the documents of a text, YAML or JSON. One that is malformed does not spoil the others.
pub(crate) fn documents(text: &str) -> Vec<Result<Value, Malformed>> {
    let documents = read(text, Reader::default()).into_iter();
    documents
        .map(|document| document.map(|document| document.value))
        .collect()
}

/// The same, with the place of each part in the text.
pub(crate) fn located(text: &str) -> Vec<Result<Located, Malformed>> {
    let reader = Reader {
        locator: Some(Locator::default()),
        ..Reader::default()
    };
    read(text, reader)
}

fn read(text: &str, mut reader: Reader) -> Vec<Result<Located, Malformed>> {
    let (json, yaml) = text.split_at(json(text));
    let mut start = 0;
    for end in ends(json) {
        reader.read(&json[start..end], text.len());
        start = end;
    }
    if !yaml.trim().is_empty() || json.is_empty() {
        reader.read(yaml, 1024);
    }
    let documents = reader.documents;
    match git::conflict_line(text) {
        Some(line) if documents.iter().any(Result::is_err) => vec![Err(Malformed {
            line,
            column: 1,
            why: MERGED.to_owned(),
        })],
        _ => documents,
    }
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
    if text.trim_start().starts_with('{') {
        ends(text).last().unwrap_or_default()
    } else {
        0
    }
}

/// What reads a text, part by part.
#[derive(Default)]
struct Reader {
    builder: Builder,
    locator: Option<Locator>,
    documents: Vec<Result<Located, Malformed>>,
    /// The lines and the bytes of the parts that were read.
    lines: usize,
    bytes: usize,
}

impl Reader {
    /// Reads the documents of the next part. A key that is longer than `longest_key` is none.
    fn read(&mut self, part: &str, longest_key: usize) {
        let options = granit_parser::options! {
            block_scalar_eof_without_line_feed: true,
            emit_comments: false,
            simple_key_max_lookahead: longest_key,
            flow_nesting_limit: DEEPEST + 1,
            block_nesting_limit: DEEPEST + 1,
        };
        let mut parser = Parser::new_from_str_with_options(part, options);
        self.restart();
        while let Some(next) = parser.next() {
            let Err(mut error) = self.event(next) else {
                continue;
            };
            error.line += self.lines;
            self.documents.push(Err(error));
            self.restart();
            if !matches!(parser.proceed_next_document(), Ok(true)) {
                break;
            }
        }
        self.lines += part.matches('\n').count();
        self.bytes += part.len();
    }

    fn restart(&mut self) {
        self.builder.restart();
        if let Some(locator) = &mut self.locator {
            locator.restart();
        }
    }

    fn event(&mut self, next: Result<(Event<'_>, Span), ScanError>) -> Result<(), Malformed> {
        match next {
            Ok((Event::DocumentStart(..), _)) => self.restart(),
            Ok((Event::DocumentEnd, _)) => {
                let value = std::mem::take(&mut self.builder.root);
                if !value.is_null() {
                    let places = self.locator.as_mut().map(Locator::take);
                    let places = places.unwrap_or_default();
                    self.documents.push(Ok(Located { value, places }));
                }
            }
            Ok((event, span)) => {
                if let Some(locator) = &mut self.locator {
                    locator.read(&event, &span, self.bytes, self.lines);
                }
                let (line, column) = (span.start.line(), span.start.col() + 1);
                let read = self.builder.read(event);
                read.map_err(|why| Malformed { line, column, why })?;
            }
            Err(error) => return Err(malformed(&error)),
        }
        Ok(())
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

    /// What YAML has to say of a conflict marker helps nobody.
    #[test]
    fn conflict_markers_are_named() {
        let text = "a: 1\n---\nb:\n<<<<<<< HEAD\n  - 1\n=======\n  - 2\n>>>>>>> other\n";
        let expected = Malformed {
            line: 4,
            column: 1,
            why: MERGED.to_owned(),
        };
        assert_eq!(documents(text), [Err(expected)]);
    }

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

    #[test]
    fn aliases_copy_no_more_bytes_than_a_limit() {
        let text = |count: usize| {
            let long = "A".repeat(1 << 20);
            let aliases = "*a, ".repeat(count);
            documents(&format!("{{? &a {long} : 1, b: [{aliases}]}}"))
        };
        assert!(text(60)[0].is_ok());
        let error = text(64).remove(0).err().map(|error| error.to_string());
        assert!(error.is_some_and(|error| error.ends_with("aliases expand to more than 64 MiB")));
        let key = format!(
            "a: &a {{{}: 1}}\nb: [{}]",
            "k".repeat(1000),
            "*a, ".repeat(70_000)
        );
        assert!(documents(&key)[0].is_err());
    }

    #[test]
    fn the_limit_is_that_of_all_documents() {
        let text = format!(
            "a: &a {}\nb: [{}]\n---\n",
            "A".repeat(1 << 20),
            "*a, ".repeat(20)
        );
        let read = documents(&text.repeat(5));
        let readable: Vec<bool> = read.iter().map(Result::is_ok).collect();
        assert_eq!(readable, [true, true, true, false, false]);
    }

    #[test]
    fn many_documents_are_read_in_one_go() {
        let read = documents(&("{}\n".repeat(100_000) + "{"));
        assert_eq!(read.len(), 100_001);
        let error = read[100_000].clone().expect_err("no end");
        assert_eq!(error.line, 100_001);
    }
}
