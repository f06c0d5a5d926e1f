//! Where the values of a document stand in its text.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write as _;

use granit_parser::{Event, Parser, ScalarStyle};
use serde_json::Value;

use super::builder::DEEPEST;
use super::scalar;

/// So many duplicate keys are kept.
const MOST_DUPLICATES: usize = 20;

/// Where a value stands, and what is within it.
#[derive(Debug)]
pub(crate) struct Place {
    /// The line of its key, or its own if it has none, from 1.
    pub(crate) line: usize,
    /// Whether it is a text that begins on the next line, and has the lines of the file.
    pub(crate) is_literal: bool,
    within: Within,
}

#[derive(Debug)]
enum Within {
    Nothing,
    Items(Vec<Place>),
    Fields(HashMap<String, Place>),
}

/// A key that an object has twice: Kubernetes keeps one of the values.
#[derive(Debug)]
pub(crate) struct Duplicate {
    /// The path of the second key.
    pub(crate) field: String,
    /// Its line, from 1.
    pub(crate) line: usize,
}

/// The places of the first document of a text.
#[derive(Debug)]
pub(crate) struct Places {
    pub(crate) root: Place,
    pub(crate) duplicates: Vec<Duplicate>,
}

impl Place {
    fn new(line: usize, within: Within) -> Self {
        Self {
            line,
            is_literal: false,
            within,
        }
    }

    /// The place of a field of an object.
    pub(crate) fn field(&self, name: &str) -> Option<&Self> {
        match &self.within {
            Within::Fields(fields) => fields.get(name),
            _ => None,
        }
    }

    /// The place of an item of a list.
    pub(crate) fn item(&self, index: usize) -> Option<&Self> {
        match &self.within {
            Within::Items(items) => items.get(index),
            _ => None,
        }
    }
}

/// A list or an object that is not closed yet, with the key whose value comes next, and its line.
struct Open {
    place: Place,
    key: Option<(String, usize)>,
}

/// Finds where the values of the first document of a text stand, up to the first error.
pub(crate) fn places(text: &str) -> Places {
    // As in `documents`: JSON may have long keys.
    let longest_key = if text.trim_start().starts_with('{') {
        text.len()
    } else {
        1024
    };
    let options = granit_parser::options! {
        block_scalar_eof_without_line_feed: true,
        emit_comments: false,
        simple_key_max_lookahead: longest_key,
        flow_nesting_limit: DEEPEST + 1,
        block_nesting_limit: DEEPEST + 1,
    };
    let mut reader = Reader::default();
    for next in Parser::new_from_str_with_options(text, options) {
        let Ok((event, span)) = next else {
            break;
        };
        reader.read(&event, span.start.line());
        if reader.root.is_some() {
            break;
        }
    }
    reader.finish()
}

#[derive(Default)]
struct Reader {
    open: Vec<Open>,
    root: Option<Place>,
    duplicates: Vec<Duplicate>,
}

impl Reader {
    fn read(&mut self, event: &Event<'_>, line: usize) {
        match event {
            Event::SequenceStart(..) => self.start(line, Within::Items(Vec::new())),
            Event::MappingStart(..) => self.start(line, Within::Fields(HashMap::new())),
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(open) = self.open.pop() {
                    self.add(open.place);
                }
            }
            Event::Alias(_) => self.add(Place::new(line, Within::Nothing)),
            Event::Scalar(text, style, _, _) => {
                let is_plain = *style == ScalarStyle::Plain;
                if let Some(open) = self.open.last_mut()
                    && open.key.is_none()
                    && matches!(open.place.within, Within::Fields(_))
                {
                    open.key = Some((name(text, is_plain), line));
                    return;
                }
                // A document of nothing is none.
                if self.open.is_empty() && is_plain && scalar::value(text) == Ok(Value::Null) {
                    return;
                }
                let mut place = Place::new(line, Within::Nothing);
                place.is_literal = *style == ScalarStyle::Literal;
                self.add(place);
            }
            _ => {}
        }
    }

    fn start(&mut self, line: usize, within: Within) {
        self.open.push(Open {
            place: Place::new(line, within),
            key: None,
        });
    }

    /// Puts a value where it belongs.
    fn add(&mut self, mut place: Place) {
        let Some(open) = self.open.last_mut() else {
            self.root = Some(place);
            return;
        };
        match &mut open.place.within {
            Within::Items(items) => items.push(place),
            Within::Fields(fields) => {
                let Some((name, line)) = open.key.take() else {
                    // An alias as a key.
                    open.key = Some((String::new(), place.line));
                    return;
                };
                place.line = line;
                match fields.entry(name) {
                    Entry::Vacant(entry) => drop(entry.insert(place)),
                    Entry::Occupied(mut entry) => {
                        let name = entry.key().clone();
                        entry.insert(place);
                        self.duplicate(&name, line);
                    }
                }
            }
            Within::Nothing => {}
        }
    }

    fn duplicate(&mut self, name: &str, line: usize) {
        // `<<` can be there several times, and no name is an alias.
        if ["<<", ""].contains(&name) || self.duplicates.len() == MOST_DUPLICATES {
            return;
        }
        let mut field = String::new();
        let (_, around) = self.open.split_last().unzip();
        for open in around.unwrap_or_default() {
            match (&open.key, &open.place.within) {
                (Some((key, _)), _) => push(&mut field, key),
                (None, Within::Items(items)) => drop(write!(field, "[{}]", items.len())),
                (None, _) => {}
            }
        }
        push(&mut field, name);
        self.duplicates.push(Duplicate { field, line });
    }

    fn finish(mut self) -> Places {
        while let Some(open) = self.open.pop() {
            self.add(open.place);
        }
        Places {
            root: self.root.unwrap_or(Place::new(1, Within::Nothing)),
            duplicates: self.duplicates,
        }
    }
}

/// The name of a key, as the value has it.
fn name(text: &str, is_plain: bool) -> String {
    let resolved = is_plain.then(|| scalar::key(text).ok()).flatten();
    resolved.unwrap_or_else(|| text.to_owned())
}

/// Adds a field to a path: `spec.icon`, or in brackets if the name has a dot.
pub(crate) fn push(path: &mut String, name: &str) {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "-_$".contains(c);
    if !name.chars().all(is_word) || name.is_empty() {
        let _ = write!(path, "[{name:?}]");
        return;
    }
    if !path.is_empty() {
        path.push('.');
    }
    *path += name;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_keys_and_items() {
        let text = "# one\n---\na:\n  - b: 1\n    \"c.d\":\n      e: |\n        x\n  - z\non: 2\n";
        let Places { root, duplicates } = places(text);
        let item = root.field("a").and_then(|a| a.item(0)).expect("an item");
        let inner = item.field("c.d").and_then(|c| c.field("e")).expect("e");
        assert_eq!((item.line, inner.line, inner.is_literal), (4, 6, true));
        let second = root.field("a").and_then(|a| a.item(1));
        assert_eq!(second.map(|item| item.line), Some(8));
        assert_eq!(root.field("true").map(|on| on.line), Some(9));
        assert!(duplicates.is_empty());
    }

    #[test]
    fn duplicates_are_found_at_every_depth() {
        let text = "a:\n- x: 1\n- x: 1\n  w:\n    z: 1\n    z: 2\n<<: {}\n<<: {}\n";
        let found: Vec<_> = places(text).duplicates;
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((&*found[0].field, found[0].line), ("a[1].w.z", 6));
    }

    #[test]
    fn a_truncated_text_has_the_places_before_its_end() {
        let root = places("a:\n  b:\n  - 1\n  - \"").root;
        let list = root.field("a").and_then(|a| a.field("b"));
        assert!(list.is_some_and(|b| b.item(0).is_some()));
    }
}
