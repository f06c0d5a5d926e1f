//! The documents of a text, as kubectl reads them.

use std::fmt;

use granit_parser::{ErrorKind, Event, Parser, ScanError, Span};
use serde::de::IgnoredAny;
use serde_json::Value;

use super::builder::{Builder, DEEPEST, too_deep};
use super::error::MERGED;
use super::places::{Duplicate, Locator, Place};
use crate::git;

/// A document that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    /// The line of the text, from 1.
    line: usize,
    /// The column, from 1.
    column: usize,
    why: String,
    duplicates: Vec<Duplicate>,
}

impl Malformed {
    fn new(line: usize, column: usize, why: String) -> Self {
        Self {
            line,
            column,
            why,
            duplicates: Vec::new(),
        }
    }

    /// The line of the text, from 1.
    pub(crate) fn line(&self) -> usize {
        self.line
    }

    /// What is wrong there.
    pub(crate) fn why(&self) -> &str {
        &self.why
    }

    /// The keys that an object of it has twice, if places were asked for.
    pub(crate) fn duplicates(&self) -> &[Duplicate] {
        &self.duplicates
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            line, column, why, ..
        } = self;
        write!(formatter, "line {line}, column {column}: {why}")
    }
}

/// A document whose values have places.
#[derive(Clone, Debug)]
pub(crate) struct Located {
    pub(crate) value: Value,
    pub(crate) place: Place,
    /// The keys that an object of it has twice, but for the outermost object: there they are errors.
    pub(crate) duplicates: Vec<Duplicate>,
}

/// Reads the documents of a text, YAML or JSON. One that is malformed does not spoil the others.
pub(crate) fn documents(text: &str) -> Vec<Result<Value, Malformed>> {
    let documents = read(text, Reader::default()).into_iter();
    documents
        .map(|document| document.map(|document| document.value))
        .collect()
}

/// The same of a manifest, with the place of each value in the text. It may not begin with a directive.
pub(crate) fn located(text: &str) -> Vec<Result<Located, Malformed>> {
    if let Some(line) = directive(text) {
        let why = "a directive: Kubernetes reads no YAML that begins with `%`".to_owned();
        return vec![Err(Malformed::new(line, 1, why))];
    }
    let reader = Reader {
        locator: Some(Locator::default()),
        ..Reader::default()
    };
    read(text, reader)
}

/// Whether a text has a comment.
pub(crate) fn has_comments(text: &str) -> bool {
    let options = granit_parser::options! { emit_comments: true };
    let mut events = Parser::new_from_str_with_options(text, options);
    events.any(|next| matches!(next, Ok((Event::Comment(..), _))))
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
        Some(line) if documents.iter().any(Result::is_err) => {
            vec![Err(Malformed::new(line, 1, MERGED.to_owned()))]
        }
        _ => documents,
    }
}

/// The line of a directive, such as `%YAML 1.2`, at the start of a text.
fn directive(text: &str) -> Option<usize> {
    let text = text.trim_start_matches('\u{feff}');
    let is_content = |line: &str| !(line.trim().is_empty() || line.starts_with('#'));
    let (line, number) = text.lines().zip(1..).find(|(line, _)| is_content(line))?;
    line.starts_with('%').then_some(number)
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
    /// What is wrong with the document that is read.
    malformed: Option<Malformed>,
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
            match next {
                Ok((event, span)) => self.event(event, span),
                Err(error) => {
                    self.malformed.get_or_insert_with(|| malformed(&error));
                    self.finish();
                    if !matches!(parser.proceed_next_document(), Ok(true)) {
                        break;
                    }
                }
            }
        }
        self.lines += part.matches('\n').count();
        self.bytes += part.len();
    }

    fn restart(&mut self) {
        self.builder.restart();
        self.malformed = None;
        if let Some(locator) = &mut self.locator {
            locator.restart();
        }
    }

    fn event(&mut self, event: Event<'_>, span: Span) {
        match event {
            Event::DocumentStart(..) => self.restart(),
            Event::DocumentEnd => self.finish(),
            event => {
                if let Some(locator) = &mut self.locator {
                    locator.read(&event, &span, self.bytes, self.lines);
                }
                // The rest of a malformed document is read for its duplicate keys.
                if self.malformed.is_none()
                    && let Err(why) = self.builder.read(event)
                {
                    let (line, column) = (span.start.line(), span.start.col() + 1);
                    self.malformed = Some(Malformed::new(line, column, why));
                }
            }
        }
    }

    /// Keeps the document that was read, which may be malformed or nothing.
    fn finish(&mut self) {
        let located = self.locator.as_mut().map(Locator::take);
        let (place, duplicates) = located.unwrap_or_default();
        let value = std::mem::take(&mut self.builder.root);
        match self.malformed.take() {
            Some(mut malformed) => {
                malformed.line += self.lines;
                malformed.duplicates = duplicates;
                self.documents.push(Err(malformed));
            }
            None if value.is_null() => {}
            None => self.documents.push(Ok(Located {
                value,
                place,
                duplicates,
            })),
        }
        self.restart();
    }
}

fn malformed(error: &ScanError) -> Malformed {
    let marker = error.marker();
    let why = match error.kind() {
        ErrorKind::RecursionLimitExceeded => too_deep(),
        kind => kind.to_string(),
    };
    Malformed::new(marker.line(), marker.col() + 1, why)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What YAML has to say of a conflict marker helps nobody.
    #[test]
    fn conflict_markers_are_named() {
        let text = "a: 1\n---\nb:\n<<<<<<< HEAD\n  - 1\n=======\n  - 2\n>>>>>>> other\n";
        let expected = Malformed::new(4, 1, MERGED.to_owned());
        assert_eq!(documents(text), [Err(expected)]);
    }

    #[test]
    fn comments_are_no_parts_of_texts() {
        assert!(has_comments("a: 1 # b\n") && has_comments("a:\n# b\n- c\n"));
        assert!(!has_comments("a: |\n  # b\nc: 'd # e'\nf#: 1\n"));
    }

    /// What rop writes is read as it was: the library quotes what would be read as something else.
    #[test]
    fn strings_that_look_like_something_else_stay_strings() {
        let words = "0644 0x1F 1_000 yes off y N ~ null 2024-01-01 1.10 1e3 0o17 08 0b11 -0b11 .5 +5 -0x1F 1e400 1:30 \
                     +.5 0_7 _1 1_ 0x_1 .inf -.INF .NaN TRUE tRUE 0. + - = << ? | > % @ ` # & * ! {{ [ : a: --- ...";
        let words = words.split_whitespace().map(str::to_owned).chain(
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
