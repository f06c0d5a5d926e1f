//! YAML as a tree that knows where each of its parts stands in the text.

use std::collections::HashMap;
use std::ops::Range;

use granit_parser::{Event, Parser, Span, StructureStyle};

use crate::error::{Code, Error, Result};
use crate::yaml::MOST_COPIES;

/// A part of a document.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) shape: Shape,
    /// Whether it stands elsewhere: here is only an alias, such as `*name`.
    pub(super) alias: bool,
    /// Whether it is written in brackets or braces.
    pub(super) flow: bool,
    /// Where its text starts and ends, in bytes. A block ends with the last leaf in it.
    pub(super) start: usize,
    pub(super) end: usize,
}

/// What a [`Node`] holds.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Scalar(String),
    Mapping(Vec<Entry>),
    Sequence(Vec<Item>),
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) start: usize,
    pub(super) value: Node,
}

/// A member of a list. It starts with its dash, where it has one.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) start: usize,
    pub(super) value: Node,
}

impl Node {
    /// Reads the first document of `text`; `None` where there is none.
    pub(super) fn parse(path: &str, text: &str) -> Result<Option<Self>> {
        let mut reader = Reader {
            text,
            parser: Parser::new_from_str(text),
            anchored: HashMap::new(),
            left: MOST_COPIES,
        };
        reader
            .document()
            .map_err(|e| e.context(format!("malformed `{path}`")))
    }

    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        match &self.shape {
            Shape::Mapping(entries) => entries
                .iter()
                .find(|entry| entry.key == key)
                .map(|entry| &entry.value),
            _ => None,
        }
    }

    /// The entries, where it is a mapping.
    pub(super) fn entries(&self) -> &[Entry] {
        match &self.shape {
            Shape::Mapping(entries) => entries,
            _ => &[],
        }
    }

    /// The members, where it is a list.
    pub(super) fn items(&self) -> &[Item] {
        match &self.shape {
            Shape::Sequence(items) => items,
            _ => &[],
        }
    }

    /// Whether it is a mapping with each entry of another.
    pub(super) fn has_all_of(&self, other: &Self) -> bool {
        match &other.shape {
            Shape::Mapping(entries) => entries
                .iter()
                .all(|entry| self.get(&entry.key) == Some(&entry.value)),
            _ => false,
        }
    }

    /// How many entries of a mapping another has too.
    pub(super) fn in_common(&self, other: &Self) -> usize {
        let entries = self.entries().iter();
        let is_there = |entry: &&Entry| other.get(&entry.key) == Some(&entry.value);
        entries.filter(is_there).count()
    }

    /// How many nodes it has, with itself.
    fn size(&self) -> usize {
        let inner: usize = match &self.shape {
            Shape::Scalar(_) => 0,
            Shape::Sequence(items) => items.iter().map(|item| item.value.size()).sum(),
            Shape::Mapping(entries) => entries.iter().map(|entry| entry.value.size()).sum(),
        };
        inner + 1
    }

    /// Whether it is a key without a value.
    pub(super) fn is_null(&self) -> bool {
        matches!(self.shape, Shape::Scalar(_)) && self.start == self.end
    }
}

/// Two nodes are equal where their contents are, wherever they stand.
impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        match (&self.shape, &other.shape) {
            (Shape::Scalar(a), Shape::Scalar(b)) => a == b,
            (Shape::Sequence(a), Shape::Sequence(b)) => a
                .iter()
                .map(|item| &item.value)
                .eq(b.iter().map(|item| &item.value)),
            (Shape::Mapping(a), Shape::Mapping(b)) => {
                a.len() == b.len() && a.iter().all(|e| other.get(&e.key) == Some(&e.value))
            }
            _ => false,
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    parser: Parser<'a, granit_parser::StrInput<'a>>,
    /// Nodes that aliases stand for.
    anchored: HashMap<usize, Node>,
    /// How many nodes may still be copied for aliases.
    left: usize,
}

impl<'a> Reader<'a> {
    /// The next event that is not a comment.
    fn next(&mut self) -> Result<(Event<'a>, Span)> {
        loop {
            let (event, span) = self
                .parser
                .next()
                .ok_or_else(|| Error::new(Code::MalformedFile, "unexpected end of the document"))?
                .map_err(|error| {
                    let (at, why) = (error.marker(), error.kind());
                    let (line, column) = (at.line(), at.col() + 1);
                    let message = format!("line {line}, column {column}: {why}");
                    Error::new(Code::MalformedFile, message)
                })?;
            if !matches!(event, Event::Comment(..)) {
                return Ok((event, span));
            }
        }
    }

    fn document(&mut self) -> Result<Option<Node>> {
        loop {
            match self.next()? {
                (Event::StreamStart | Event::DocumentStart(..), _) => {}
                (Event::StreamEnd, _) => return Ok(None),
                (event, span) => return self.node(event, span).map(Some),
            }
        }
    }

    fn node(&mut self, event: Event<'a>, span: Span) -> Result<Node> {
        let range = span.byte_range().unwrap_or_default();
        let (anchor, node) = match event {
            Event::Scalar(text, _, anchor, _) => (
                anchor,
                Node {
                    shape: Shape::Scalar(text.into_owned()),
                    alias: false,
                    flow: false,
                    start: range.start,
                    end: range.end,
                },
            ),
            Event::SequenceStart(style, anchor, _) => (anchor, self.sequence(style, range.start)?),
            Event::MappingStart(style, anchor, _) => (anchor, self.mapping(style, range.start)?),
            Event::Alias(anchor) if self.anchored.contains_key(&anchor) => {
                self.spend(self.anchored[&anchor].size(), span)?;
                return Ok(Node {
                    alias: true,
                    start: range.start,
                    end: range.end,
                    ..self.anchored[&anchor].clone()
                });
            }
            event => {
                let what = match event {
                    Event::Alias(_) => "an alias that contains itself",
                    _ => "an incomplete list or object",
                };
                let line = span.start.line();
                return Err(Error::new(
                    Code::UneditableYaml,
                    format!("rop cannot edit YAML with {what} (line {line})"),
                ));
            }
        };
        // Nodes without an anchor have the number 0.
        if anchor != 0 {
            self.spend(node.size(), span)?;
            self.anchored.insert(anchor, node.clone());
        }
        Ok(node)
    }

    /// Counts nodes before they are copied.
    fn spend(&mut self, nodes: usize, span: Span) -> Result<()> {
        let too_many = || {
            let line = span.start.line();
            Error::new(
                Code::UneditableYaml,
                format!(
                    "rop cannot edit YAML whose anchors and aliases copy more than {MOST_COPIES} values (line {line})"
                ),
            )
        };
        self.left = self.left.checked_sub(nodes).ok_or_else(too_many)?;
        Ok(())
    }

    fn sequence(&mut self, style: StructureStyle, start: usize) -> Result<Node> {
        let flow = style == StructureStyle::Flow;
        let mut items: Vec<Item> = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::SequenceEnd) {
                let end = items.last().map_or(start, |item| item.value.end);
                return Ok(Node {
                    shape: Shape::Sequence(items),
                    alias: false,
                    flow,
                    start,
                    end: closing(flow, &span).unwrap_or(end),
                });
            }
            let value = self.node(event, span)?;
            let before = without_properties(&self.text[..value.start]);
            items.push(Item {
                start: if before.ends_with('-') && !flow {
                    before.len() - 1
                } else {
                    value.start
                },
                value,
            });
        }
    }

    fn mapping(&mut self, style: StructureStyle, start: usize) -> Result<Node> {
        let flow = style == StructureStyle::Flow;
        let mut entries: Vec<Entry> = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::MappingEnd) {
                let end = entries.last().map_or(start, |entry| entry.value.end);
                return Ok(Node {
                    shape: Shape::Mapping(entries),
                    alias: false,
                    flow,
                    start,
                    end: closing(flow, &span).unwrap_or(end),
                });
            }
            let key = self.node(event, span)?;
            let Shape::Scalar(name) = key.shape else {
                let line = self.text[..key.start].matches('\n').count() + 1;
                return Err(Error::new(
                    Code::UneditableYaml,
                    format!("rop cannot edit YAML with a list or an object as a key (line {line})"),
                ));
            };
            let (event, span) = self.next()?;
            let mut value = self.node(event, span)?;
            if value.is_null() {
                value.start = key.end + 1;
                value.end = value.start;
            }
            entries.push(Entry {
                key: name,
                start: key.start,
                value,
            });
        }
    }
}

/// Where the comments of a text are.
pub(super) fn comments(text: &str) -> Vec<Range<usize>> {
    let events = Parser::new_from_str(text).map_while(Result::ok);
    let comments = events.filter(|(event, _)| matches!(event, Event::Comment(..)));
    comments
        .filter_map(|(_, span)| span.byte_range())
        .filter_map(|range| Some(range.start..range.start + text.get(range)?.trim_end().len()))
        .collect()
}

/// What stands before the anchor and the tag of a node.
fn without_properties(before: &str) -> &str {
    let before = before.trim_end();
    let word = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    if before[word..].starts_with(['&', '!']) {
        without_properties(&before[..word])
    } else {
        before
    }
}

/// Where the bracket or brace ends that closes a collection in such; a block has none.
fn closing(flow: bool, span: &Span) -> Option<usize> {
    flow.then(|| span.end.byte_offset()).flatten()
}
