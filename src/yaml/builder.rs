//! One document of YAML as a value of JSON.

use std::collections::{HashMap, HashSet};

use granit_parser::{Event, ScalarStyle, Tag};
use serde_json::{Map, Value};

use super::scalar;

/// The most lists and objects within each other. What reads a value visits it by calling itself.
pub(super) const DEEPEST: usize = 500;

/// The most values that the anchors and aliases of a text copy: a few lines can expand to billions.
pub(crate) const MOST_COPIES: usize = 100_000;

/// The most bytes of strings in them.
const MOST_BYTES: usize = 64 << 20;

/// A list or an object that is not closed yet, with the number of its anchor.
enum Open {
    List(Vec<Value>, usize),
    Object(Map<String, Value>, Option<Key>, usize),
}

/// A key whose value comes next.
enum Key {
    Name(String),
    /// `<<`: what follows is a part of the object.
    Merge,
}

/// What the anchors and aliases of a text have copied so far, in all of its documents.
#[derive(Default)]
struct Copies {
    values: usize,
    bytes: usize,
}

/// What a document is made of, read event by event.
#[derive(Default)]
pub(super) struct Builder {
    open: Vec<Open>,
    anchored: HashMap<usize, Value>,
    copies: Copies,
    /// The keys of the whole document.
    keys: HashSet<String>,
    /// The whole document, once it is complete.
    pub(super) root: Value,
}

impl Builder {
    /// Forgets the document that was read so far.
    pub(super) fn restart(&mut self) {
        *self = Self {
            copies: std::mem::take(&mut self.copies),
            ..Self::default()
        };
    }

    /// Reads an event of the document.
    ///
    /// # Errors
    /// Kubernetes has no such value.
    pub(super) fn read(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_plain = style == ScalarStyle::Plain;
                self.scalar(&text, is_plain, anchor, tag.as_deref())
            }
            Event::SequenceStart(_, anchor, _) => self.start(Open::List(Vec::new(), anchor)),
            Event::MappingStart(_, anchor, _) => self.start(Open::Object(Map::new(), None, anchor)),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open::List(items, anchor)) => self.add(items.into(), anchor),
                Some(Open::Object(fields, _, anchor)) => self.add(fields.into(), anchor),
                None => Ok(()),
            },
            Event::Alias(anchor) => {
                let Some(value) = self.anchored.get(&anchor) else {
                    return Err("an alias contains itself".to_owned());
                };
                self.copies.count(value, self.open.len())?;
                self.add(value.clone(), 0)
            }
            _ => Ok(()),
        }
    }

    fn start(&mut self, open: Open) -> Result<(), String> {
        if matches!(self.open.last(), Some(Open::Object(_, None, _))) {
            return Err("a key is a list or an object, not a scalar".to_owned());
        }
        if self.open.len() == DEEPEST {
            return Err(too_deep());
        }
        self.open.push(open);
        Ok(())
    }

    fn scalar(
        &mut self,
        text: &str,
        is_plain: bool,
        anchor: usize,
        tag: Option<&Tag>,
    ) -> Result<(), String> {
        let is_resolved = match tag.map(Tag::core_suffix) {
            None => is_plain,
            Some(Some(tag @ ("bool" | "float" | "int" | "null"))) => {
                if !scalar::fits(text, tag) {
                    return Err(format!("`{text}` is not what the tag `!!{tag}` says"));
                }
                true
            }
            Some(_) => false,
        };
        let is_root = self.open.len() == 1;
        if let Some(Open::Object(_, key @ None, _)) = self.open.last_mut() {
            *key = Some(if !is_resolved {
                Key::Name(text.to_owned())
            } else if text == "<<" {
                Key::Merge
            } else {
                Key::Name(scalar::key(text)?)
            });
            // kubectl takes the last of two, also where a file without `---` at its end stands before another.
            if is_root && !self.keys.insert(text.to_owned()) {
                return Err(format!(
                    "duplicate key `{text}`: separate two documents with `---`"
                ));
            }
            if anchor != 0 {
                self.anchor(anchor, &text.into())?;
            }
            return Ok(());
        }
        let value = if is_resolved {
            scalar::value(text)?
        } else {
            text.into()
        };
        self.add(value, anchor)
    }

    /// Puts a value where it belongs.
    fn add(&mut self, value: Value, anchor: usize) -> Result<(), String> {
        if anchor != 0 {
            self.anchor(anchor, &value)?;
        }
        match self.open.last_mut() {
            None => self.root = value,
            Some(Open::List(items, _)) => items.push(value),
            Some(Open::Object(fields, key, _)) => match (key.take(), value) {
                (Some(Key::Name(name)), value) => drop(fields.insert(name, value)),
                (Some(Key::Merge), Value::Object(merged)) => fields.extend(merged),
                (Some(Key::Merge), Value::Array(items)) => {
                    // The first one has the last word.
                    for item in items.into_iter().rev() {
                        let Value::Object(merged) = item else {
                            return Err(no_merge());
                        };
                        fields.extend(merged);
                    }
                }
                (Some(Key::Merge), _) => return Err(no_merge()),
                // An alias as a key.
                (None, Value::String(name)) => *key = Some(Key::Name(name)),
                (None, _) => return Err("a key is an alias of a list or an object".to_owned()),
            },
        }
        Ok(())
    }

    /// Keeps a copy for aliases.
    fn anchor(&mut self, anchor: usize, value: &Value) -> Result<(), String> {
        self.copies.count(value, self.open.len())?;
        self.anchored.insert(anchor, value.clone());
        Ok(())
    }
}

impl Copies {
    /// Counts a value before it is copied to a depth.
    fn count(&mut self, value: &Value, depth: usize) -> Result<(), String> {
        let mut rest = vec![(value, depth)];
        while let Some((value, depth)) = rest.pop() {
            self.values += 1;
            if depth > DEEPEST {
                return Err(too_deep());
            }
            match value {
                Value::String(text) => self.bytes += text.len(),
                Value::Array(items) => rest.extend(items.iter().map(|item| (item, depth + 1))),
                Value::Object(fields) => {
                    self.bytes += fields.keys().map(String::len).sum::<usize>();
                    rest.extend(fields.values().map(|value| (value, depth + 1)));
                }
                _ => {}
            }
            if self.values > MOST_COPIES {
                return Err(format!("aliases expand to more than {MOST_COPIES} values"));
            }
            if self.bytes > MOST_BYTES {
                return Err(format!(
                    "aliases expand to more than {} MiB",
                    MOST_BYTES >> 20
                ));
            }
        }
        Ok(())
    }
}

pub(super) fn too_deep() -> String {
    format!("nested more than {DEEPEST} levels deep")
}

fn no_merge() -> String {
    "`<<` is not followed by an object".to_owned()
}
