use chrono::DateTime;
use serde_json::Value;

use crate::olm::base64;

use super::quantity::is_quantity;

/// The type of a field.
#[derive(Debug)]
pub(super) enum Kind {
    Any,
    Text,
    Flag,
    Number,
    /// A whole number from the first up to the second.
    Integer(i64, i64),
    Quantity,
    Time,
    Bytes,
    List(Box<Self>),
    /// An object with any keys.
    Map(Box<Self>),
    /// An object of a type with fields.
    Object(&'static str),
    Either(Vec<Self>),
}

impl Kind {
    /// Reads a type as the table writes it.
    pub(super) fn read(text: &'static str) -> Self {
        let inner = |ends: [char; 2]| text.strip_prefix(ends[0])?.strip_suffix(ends[1]);
        if let Some(inner) = inner(['[', ']']) {
            return Self::List(Box::new(Self::read(inner)));
        }
        if let Some(inner) = inner(['{', '}']) {
            return Self::Map(Box::new(Self::read(inner)));
        }
        if text.contains('|') {
            return Self::Either(text.split('|').map(Self::read).collect());
        }
        match text {
            "any" => Self::Any,
            "string" => Self::Text,
            "bool" => Self::Flag,
            "number" => Self::Number,
            "int32" => Self::Integer(i32::MIN.into(), i32::MAX.into()),
            "int64" => Self::Integer(i64::MIN, i64::MAX),
            "quantity" => Self::Quantity,
            "time" => Self::Time,
            "bytes" => Self::Bytes,
            name => Self::Object(name),
        }
    }

    /// Whether a value is of the type. What is within a list or an object is left to others.
    pub(super) fn has(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Any, _)
            | (_, Value::Null)
            | (Self::Text, Value::String(_))
            | (Self::Flag, Value::Bool(_))
            | (Self::Number | Self::Quantity, Value::Number(_))
            | (Self::List(_), Value::Array(_))
            | (Self::Map(_) | Self::Object(_), Value::Object(_)) => true,
            (Self::Integer(least, most), Value::Number(number)) => number
                .as_i64()
                .is_some_and(|number| (*least..=*most).contains(&number)),
            (Self::Quantity, Value::String(text)) => is_quantity(text),
            (Self::Time, Value::String(text)) => DateTime::parse_from_rfc3339(text).is_ok(),
            (Self::Bytes, value) => base64::is_bytes(value),
            (Self::Either(kinds), value) => kinds.iter().any(|kind| kind.has(value)),
            _ => false,
        }
    }

    /// What it is called in messages.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Any => "a value".to_owned(),
            Self::Text => "a string".to_owned(),
            Self::Flag => "a boolean".to_owned(),
            Self::Number => "a number".to_owned(),
            Self::Integer(_, most) if *most == i64::MAX => "an integer".to_owned(),
            Self::Integer(..) => "an integer of 32 bits".to_owned(),
            Self::Quantity => "a quantity such as `10m` or `64Mi`".to_owned(),
            Self::Time => "a time such as `2026-01-31T12:00:00Z`".to_owned(),
            Self::Bytes => "base64".to_owned(),
            Self::List(_) => "a list".to_owned(),
            Self::Map(_) | Self::Object(_) => "an object".to_owned(),
            Self::Either(kinds) => {
                let names: Vec<_> = kinds.iter().map(Self::name).collect();
                names.join(" or ")
            }
        }
    }
}
