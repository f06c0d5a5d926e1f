//! The types that expressions see of a schema, and how large their values can be.

use serde_json::Value;

use super::parser::RESERVED;
use crate::manifest::check::schema::{is, list, names, text};

/// Bytes of the largest request.
const REQUEST: u64 = 3 << 20;

/// Words that are escaped as names of fields, beside those that are [`RESERVED`].
const LITERALS: [&str; 4] = ["true", "false", "null", "in"];

/// Whether the name of a field is a word that expressions write with underscores around it.
fn is_escaped(name: &str) -> bool {
    LITERALS.contains(&name) || RESERVED.contains(&name)
}

/// A type.
#[derive(Clone, Debug)]
pub(super) enum Kind<'a> {
    /// Known when the rule runs.
    Dyn,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    Text,
    Bytes,
    Duration,
    Timestamp,
    /// The name of a type.
    Type,
    List(Box<Typed<'a>>),
    /// Of texts to values.
    Map(Box<Typed<'a>>),
    /// One with the fields of a schema, and whether it is a whole object of the API.
    Object(&'a Value, bool),
}

/// A type, and the most characters, items or entries of its values.
#[derive(Clone, Debug)]
pub(super) struct Typed<'a> {
    pub(super) kind: Kind<'a>,
    pub(super) size: u64,
}

impl<'a> Typed<'a> {
    pub(super) fn new(kind: Kind<'a>, size: u64) -> Self {
        Self { kind, size }
    }

    /// The type that expressions see of a schema; of some they see nothing.
    pub(super) fn of(schema: &'a Value, is_root: bool) -> Option<Self> {
        let length = || schema["maxLength"].as_u64();
        if is(schema, "x-kubernetes-int-or-string") {
            let size = length().map_or(REQUEST - 2, |length| length.saturating_mul(4));
            return Some(Self::new(Kind::Dyn, size));
        }
        let (kind, size) = match text(&schema["type"]) {
            "array" => {
                let items = part(&schema["items"])?;
                let least = least(&schema["items"]);
                let size = schema["maxItems"].as_u64();
                (
                    Kind::List(Box::new(items)),
                    size.unwrap_or((REQUEST - 2) / (least + 1)),
                )
            }
            "object" if schema["additionalProperties"].is_object() && !is_root => {
                let values = part(&schema["additionalProperties"])?;
                let least = least(&schema["additionalProperties"]);
                let size = schema["maxProperties"].as_u64();
                (
                    Kind::Map(Box::new(values)),
                    size.unwrap_or((REQUEST - 2) / (least + 6)),
                )
            }
            "object" => (Kind::Object(schema, is_root), 0),
            "string" => match text(&schema["format"]) {
                "byte" => (Kind::Bytes, length().unwrap_or(REQUEST - 2)),
                "duration" => (Kind::Duration, 32),
                "date" => (Kind::Timestamp, 12),
                "date-time" => (Kind::Timestamp, 32),
                _ => (Kind::Text, text_size(schema)),
            },
            "boolean" => (Kind::Bool, 0),
            "number" => (Kind::Double, 0),
            "integer" => (Kind::Int, 0),
            _ => return None,
        };
        Some(Self::new(kind, size))
    }

    /// What it is called.
    pub(super) fn name(&self) -> &'static str {
        match self.kind {
            Kind::Dyn => "dyn",
            Kind::Null => "null",
            Kind::Bool => "bool",
            Kind::Int => "int",
            Kind::Uint => "uint",
            Kind::Double => "double",
            Kind::Text => "string",
            Kind::Bytes => "bytes",
            Kind::Duration => "duration",
            Kind::Timestamp => "timestamp",
            Kind::Type => "type",
            Kind::List(_) => "list",
            Kind::Map(_) => "map",
            Kind::Object(..) => "object",
        }
    }

    pub(super) fn is_dyn(&self) -> bool {
        matches!(self.kind, Kind::Dyn)
    }
}

/// The type of a part of a schema.
fn part(schema: &Value) -> Option<Typed<'_>> {
    Typed::of(schema, is(schema, "x-kubernetes-embedded-resource"))
}

fn text_size(schema: &Value) -> u64 {
    let words = list(&schema["enum"]).iter().filter_map(Value::as_str);
    match schema["maxLength"].as_u64() {
        Some(length) => length.saturating_mul(4),
        None if !list(&schema["enum"]).is_empty() => {
            words.map(|word| word.len() as u64).max().unwrap_or(0)
        }
        None => REQUEST - 2,
    }
}

/// The type of a field of an object, or nothing if expressions do not see it.
pub(super) fn field<'a>(schema: &'a Value, is_root: bool, name: &str) -> Option<Typed<'a>> {
    if is_root && ["apiVersion", "kind"].contains(&name) {
        return Some(Typed::new(Kind::Text, REQUEST - 2));
    }
    let properties = schema["properties"].as_object();
    let found = properties?
        .iter()
        .find(|(property, _)| *property == name || escaped(property).as_deref() == Some(name));
    let (property, found) = found?;
    // What is escaped is not seen under its own name, but for some words, by some API servers.
    let is_seen = escaped(property).is_some_and(|escaped| escaped == name);
    part(found).filter(|_| is_seen || is_escaped(name))
}

/// A name of a field as expressions write it.
fn escaped(name: &str) -> Option<String> {
    if is_escaped(name) {
        return Some(format!("__{name}__"));
    }
    let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || "_.-/".contains(letter);
    let starts = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    (starts && name.chars().all(is_allowed)).then(|| {
        name.replace("__", "\0")
            .replace('.', "__dot__")
            .replace('-', "__dash__")
            .replace('/', "__slash__")
            .replace('\0', "__underscores__")
    })
}

/// The fewest bytes of a value in JSON.
pub(super) fn least(schema: &Value) -> u64 {
    if is(schema, "x-kubernetes-int-or-string") {
        return 1;
    }
    match text(&schema["type"]) {
        "object" if !schema["additionalProperties"].is_object() => {
            let properties = schema["properties"].as_object().into_iter().flatten();
            let required = properties.filter(|(name, property)| {
                names(&schema["required"], name) && property["default"].is_null()
            });
            let sizes = required.map(|(name, property)| name.len() as u64 + least(property) + 4);
            2 + sizes.sum::<u64>()
        }
        "string" => match text(&schema["format"]) {
            "duration" => 3,
            "date" => 12,
            "date-time" => 21,
            _ => 2,
        },
        "boolean" => 4,
        "number" | "integer" => 1,
        _ => 2,
    }
}

/// How often a value can be in an object whose schema does not limit it.
pub(super) fn most_often(schema: &Value) -> u64 {
    REQUEST / (least(schema) + 1)
}
