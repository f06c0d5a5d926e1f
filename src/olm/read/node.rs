use serde_json::Value;

use crate::yaml::{Place, push};

static NOTHING: Value = Value::Null;

/// A value of a document, and where it stands. One that is missing has the line of what is around it.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    pub(crate) file: &'a str,
    pub(crate) field: String,
    pub(crate) line: usize,
    pub(crate) value: &'a Value,
    place: Option<&'a Place>,
}

impl<'a> Node<'a> {
    pub(super) fn new(file: &'a str, value: &'a Value, place: &'a Place) -> Self {
        Self {
            file,
            field: String::new(),
            line: place.line,
            value,
            place: Some(place),
        }
    }

    /// A field, also one that is missing.
    pub(crate) fn get(&self, name: &str) -> Self {
        let place = self.place.and_then(|place| place.field(name));
        let mut field = self.field.clone();
        push(&mut field, name);
        Self {
            file: self.file,
            field,
            line: place.map_or(self.line, |place| place.line),
            value: self.value.get(name).unwrap_or(&NOTHING),
            place,
        }
    }

    /// The field at the end of names with dots between them.
    pub(crate) fn at(&self, path: &str) -> Self {
        path.split('.')
            .fold(self.clone(), |node, name| node.get(name))
    }

    /// The items of a list; none if it is no list.
    pub(crate) fn items(&self) -> impl Iterator<Item = Self> + use<'a> {
        let (file, field, line, place) = (self.file, self.field.clone(), self.line, self.place);
        let items = self.value.as_array().into_iter().flatten().enumerate();
        items.map(move |(index, value)| {
            let place = place.and_then(|place| place.item(index));
            Self {
                file,
                field: format!("{field}[{index}]"),
                line: place.map_or(line, |place| place.line),
                value,
                place,
            }
        })
    }

    /// The fields of an object; none if it is no object.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&'a str, Self)> + use<'a> {
        let this = self.clone();
        let fields = self.value.as_object().into_iter().flatten();
        fields.map(move |(name, _)| (name.as_str(), this.get(name)))
    }

    /// Its text, which is empty if it has none.
    pub(crate) fn text(&self) -> &'a str {
        self.value.as_str().unwrap_or_default()
    }

    /// The texts of a list.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let items = self.value.as_array().into_iter().flatten();
        items.filter_map(Value::as_str)
    }

    /// Whether a list has a text.
    pub(crate) fn has(&self, text: &str) -> bool {
        self.texts().any(|item| item == text)
    }

    /// Whether it is missing.
    pub(crate) fn is_missing(&self) -> bool {
        self.value.is_null()
    }

    /// Whether it says nothing: it is missing, or an empty text, list or object.
    pub(crate) fn is_empty(&self) -> bool {
        match self.value {
            Value::Null => true,
            Value::String(text) => text.trim().is_empty(),
            Value::Array(items) => items.is_empty(),
            Value::Object(fields) => fields.is_empty(),
            _ => false,
        }
    }

    /// Whether a flag is set.
    pub(crate) fn is_true(&self) -> bool {
        *self.value == Value::Bool(true)
    }

    /// The line of a line of its text, both from 1: only a text after `|` has the lines of its file.
    pub(crate) fn line_of_text(&self, line: usize) -> usize {
        match self.place {
            Some(place) if place.is_literal => self.line + line,
            _ => self.line,
        }
    }
}
