//! Where the values of a document stand in its text.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write as _;

use granit_parser::{Event, ScalarStyle, Span, StructureStyle};

use super::scalar;

/// So many duplicate keys are kept.
const MOST_DUPLICATES: usize = 20;

/// Where a value stands, and what is within it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    /// The line of its key, or its own if it has none, from 1.
    pub(crate) line: usize,
    /// Where its key starts, in bytes; where the value does if it has none.
    pub(crate) key: usize,
    /// Where the value starts and ends, in bytes. A block ends with the last leaf in it, and a list without an
    /// indent starts behind its key.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether it is in brackets, braces or quotes, and not a block.
    pub(crate) is_flow: bool,
    /// Whether it is a text that begins on the next line, and has the lines of the file.
    pub(crate) is_literal: bool,
    within: Within,
}

#[derive(Clone, Debug, Default)]
enum Within {
    #[default]
    Nothing,
    Items(Vec<Place>),
    Fields(HashMap<String, Place>),
}

/// A key that an object has twice: Kubernetes keeps one of the values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Duplicate {
    /// The path of the second key.
    pub(crate) field: String,
    /// Its line, from 1.
    pub(crate) line: usize,
}

impl Place {
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

    /// The place of exactly the value at a JSON pointer.
    pub(crate) fn get(&self, pointer: &str) -> Option<&Self> {
        pointer.split('/').skip(1).try_fold(self, Self::step)
    }

    /// The place of the value at a JSON pointer, or of the closest value around it that has one.
    pub(crate) fn find(&self, pointer: &str) -> &Self {
        let steps = pointer.split('/').skip(1);
        let found = steps.scan(self, |place, step| {
            *place = place.step(step)?;
            Some(*place)
        });
        found.last().unwrap_or(self)
    }

    fn step(&self, step: &str) -> Option<&Self> {
        match &self.within {
            Within::Items(items) => items.get(step.parse::<usize>().ok()?),
            Within::Fields(fields) => fields.get(&step.replace("~1", "/").replace("~0", "~")),
            Within::Nothing => None,
        }
    }
}

/// The key whose value comes next.
struct Key {
    name: String,
    place: Place,
}

/// A list or an object that is not closed yet.
struct Open {
    place: Place,
    key: Option<Key>,
}

/// Notes places, event by event.
#[derive(Default)]
pub(super) struct Locator {
    open: Vec<Open>,
    /// Where the last leaf ends.
    end: usize,
    root: Place,
    duplicates: Vec<Duplicate>,
}

impl Locator {
    /// Forgets the document that was read so far.
    pub(super) fn restart(&mut self) {
        *self = Self::default();
    }

    /// The places of the document, and the keys in it that an object has twice.
    pub(super) fn take(&mut self) -> (Place, Vec<Duplicate>) {
        let this = std::mem::take(self);
        (this.root, this.duplicates)
    }

    /// Notes an event of a part of the text that starts after so many bytes and lines.
    pub(super) fn read(&mut self, event: &Event<'_>, span: &Span, bytes: usize, lines: usize) {
        let range = span.byte_range().unwrap_or_default();
        let mut place = Place {
            line: span.start.line() + lines,
            key: range.start + bytes,
            start: range.start + bytes,
            end: range.end + bytes,
            is_flow: true,
            ..Place::default()
        };
        match event {
            Event::Scalar(text, style, ..) => {
                place.is_literal = *style == ScalarStyle::Literal;
                self.leaf(place, || name(text, *style == ScalarStyle::Plain));
            }
            // An alias as a key.
            Event::Alias(_) => self.leaf(place, String::new),
            Event::SequenceStart(style, ..) => {
                self.start(*style, Within::Items(Vec::new()), place);
            }
            Event::MappingStart(style, ..) => {
                self.start(*style, Within::Fields(HashMap::new()), place);
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(open) = self.open.pop() {
                    let mut closed = open.place;
                    closed.end = if closed.is_flow {
                        place.end
                    } else {
                        self.end.max(closed.start)
                    };
                    self.end = closed.end;
                    self.add(closed);
                }
            }
            _ => {}
        }
    }

    /// Notes a value that has nothing within it, or a key of this name.
    fn leaf(&mut self, mut place: Place, name: impl FnOnce() -> String) {
        if let Some(open) = self.open.last_mut()
            && open.key.is_none()
            && matches!(open.place.within, Within::Fields(_))
        {
            self.end = place.end;
            let name = name();
            open.key = Some(Key { name, place });
            return;
        }
        self.follow_key(&mut place);
        self.end = self.end.max(place.end);
        self.add(place);
    }

    fn start(&mut self, style: StructureStyle, within: Within, mut place: Place) {
        self.follow_key(&mut place);
        place.is_flow = style == StructureStyle::Flow;
        place.within = within;
        self.open.push(Open { place, key: None });
    }

    /// Gives a value the line and the start of its key.
    fn follow_key(&self, place: &mut Place) {
        let Some(key) = self.open.last().and_then(|open| open.key.as_ref()) else {
            return;
        };
        (place.key, place.line) = (key.place.key, key.place.line);
        if place.start == place.end {
            // An absent value stands behind the colon.
            (place.start, place.end) = (key.place.end + 1, key.place.end + 1);
        }
    }

    /// Puts a value where it belongs.
    fn add(&mut self, place: Place) {
        let Some(open) = self.open.last_mut() else {
            self.root = place;
            return;
        };
        match (&mut open.place.within, open.key.take()) {
            (Within::Items(items), _) => items.push(place),
            (Within::Fields(fields), Some(key)) => match fields.entry(key.name) {
                Entry::Vacant(entry) => drop(entry.insert(place)),
                Entry::Occupied(mut entry) => {
                    let (name, line) = (entry.key().clone(), place.line);
                    entry.insert(place);
                    self.duplicate(&name, line);
                }
            },
            // A list or an object as a key, which no value has.
            (Within::Fields(_), None) | (Within::Nothing, _) => {}
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
                (Some(key), _) => push(&mut field, &key.name),
                (None, Within::Items(items)) => drop(write!(field, "[{}]", items.len())),
                (None, _) => {}
            }
        }
        push(&mut field, name);
        self.duplicates.push(Duplicate { field, line });
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
    use crate::yaml::{Located, located};

    fn first(text: &str) -> Located {
        located(text).swap_remove(0).expect("YAML")
    }

    #[test]
    fn values_are_where_they_stand() {
        let text = "# a\na: 1\n---\nb:\n- c: x\n  d: \"y\"\n- {c: z}\ne:\nf: |\n  g\n";
        let documents = located(text);
        let second = documents[1].as_ref().expect("YAML");
        for (pointer, line, part) in [
            ("", 4, "b:\n- c: x\n  d: \"y\"\n- {c: z}\ne:\nf: |\n  g\n"),
            ("/b", 4, "- c: x\n  d: \"y\"\n- {c: z}"),
            ("/b/0", 5, "c: x\n  d: \"y\""),
            ("/b/0/d", 6, "\"y\""),
            ("/b/1", 7, "{c: z}"),
            ("/b/1/c", 7, "z"),
            ("/b/1/c/none", 7, "z"),
            ("/e", 8, ""),
        ] {
            let place = second.place.find(pointer);
            assert_eq!(place.line, line, "{pointer}");
            // A list without an indent starts behind its key.
            assert_eq!(text[place.start..place.end].trim_start(), part, "{pointer}");
        }
        assert!(second.place.get("/b/1/c").is_some());
        assert!(second.place.get("/b/1/c/none").is_none());
        let json = located("{\"a\": 1}\n\n{\"b\": [2]}\n");
        let second = json[1].as_ref().expect("JSON");
        assert_eq!(second.place.find("/b/0").line, 3);
    }

    #[test]
    fn lines_are_those_of_keys_and_items() {
        let text =
            "# one\n---\na:\n  - b: 1\n    \"c.d\":\n      e: |\n        x\n  - z\non: 2\nf/g: 3\n";
        let root = first(text).place;
        let item = root.field("a").and_then(|a| a.item(0)).expect("an item");
        let inner = item.field("c.d").and_then(|c| c.field("e")).expect("e");
        assert_eq!((item.line, inner.line, inner.is_literal), (4, 6, true));
        let second = root.field("a").and_then(|a| a.item(1));
        assert_eq!(second.map(|item| item.line), Some(8));
        assert_eq!(root.field("true").map(|on| on.line), Some(9));
        assert_eq!(root.get("/f~1g").map(|slash| slash.line), Some(10));
    }

    #[test]
    fn duplicates_are_found_at_every_depth() {
        let text = "a:\n- x: 1\n- x: 1\n  w:\n    z: 1\n    z: 2\n  <<: {}\n  <<: {}\n";
        let found = first(text).duplicates;
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((&*found[0].field, found[0].line), ("a[1].w.z", 6));
    }

    /// The first one in the outermost object makes the document malformed. The others are found all the same.
    #[test]
    fn duplicates_are_found_in_a_malformed_document() {
        let malformed = located("a: 1\nb:\n  c: 1\n  c: 2\na: 2\nb: 3\n")
            .swap_remove(0)
            .expect_err("a key twice");
        assert_eq!(malformed.line(), 5);
        let found = malformed.duplicates().iter();
        let found: Vec<_> = found.map(|it| (&*it.field, it.line)).collect();
        assert_eq!(found, [("b.c", 4), ("a", 5), ("b", 6)]);
    }

    #[test]
    fn depth_is_limited() {
        let deep = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(first(&deep(400)).place.find(&"/0".repeat(400)).start, 400);
        assert!(located(&"[".repeat(100_000))[0].is_err());
    }
}
