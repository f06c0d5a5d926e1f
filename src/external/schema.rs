//! What a schema is in Rust, and what it says beyond that.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::keywords::{admits_null, is_open, properties};
use super::known::KnownType;

/// What a schema is in Rust.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape<'a> {
    /// A type of Rust or Kubernetes.
    Plain(Plain),
    /// One of some words; null may be listed beside them.
    Enum(&'a [Value]),
    /// An object with fields.
    Struct,
    /// A list of such.
    List(&'a Value),
    /// A map to such.
    Map(&'a Value),
    /// A type of Kubernetes that has a schema of its own.
    Known(&'static KnownType),
    /// Anything.
    Any,
}

/// A type of Rust or Kubernetes that has no parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plain {
    Bool,
    I32,
    I64,
    Number,
    String,
    DateTime,
    IntOrString,
}

impl Plain {
    /// The type.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::Number => "Number",
            Self::String => "String",
            Self::DateTime => "DateTime",
            Self::IntOrString => "IntOrString",
        }
    }

    /// The format in its schema.
    fn format(self) -> Option<&'static str> {
        Some(match self {
            Self::I32 => "int32",
            Self::I64 => "int64",
            Self::DateTime => "date-time",
            Self::Bool | Self::Number | Self::String | Self::IntOrString => return None,
        })
    }

    /// Whether it is a number.
    pub(super) fn is_number(self) -> bool {
        matches!(self, Self::I32 | Self::I64 | Self::Number)
    }
}

/// Texts, which are for people.
const TEXTS: [&str; 4] = ["description", "example", "externalDocs", "title"];

pub(super) fn shape(schema: &Value) -> Shape<'_> {
    let keyword = |name: &str| schema.get(name);
    let is_set = |name: &str| keyword(name) == Some(&Value::Bool(true));
    if is_set("x-kubernetes-int-or-string") {
        return Shape::Plain(Plain::IntOrString);
    }
    if is_set("x-kubernetes-embedded-resource") {
        return Shape::Any;
    }
    let format = keyword("format").and_then(Value::as_str);
    match keyword("type").and_then(Value::as_str) {
        Some("object") => object(schema),
        Some("array") => keyword("items")
            .filter(|items| items.is_object())
            .map_or(Shape::Any, Shape::List),
        Some("string") => match keyword("enum").and_then(Value::as_array) {
            Some(words) if is_words(words) => Shape::Enum(words),
            Some(_) => Shape::Any,
            None => Shape::Plain(match format {
                Some("date-time") => Plain::DateTime,
                _ => Plain::String,
            }),
        },
        Some("boolean") if keyword("enum").is_none() => Shape::Plain(Plain::Bool),
        Some("integer") if keyword("enum").is_none_or(is_numbers) => Shape::Plain(match format {
            Some("int32") => Plain::I32,
            _ => Plain::I64,
        }),
        Some("number") if keyword("enum").is_none_or(is_numbers) => Shape::Plain(Plain::Number),
        _ => Shape::Any,
    }
}

/// Whether values are strings, beside a null.
fn is_words(values: &[Value]) -> bool {
    values.iter().any(Value::is_string)
        && values
            .iter()
            .all(|value| value.is_string() || value.is_null())
}

fn is_numbers(values: &Value) -> bool {
    let values = values.as_array();
    values.is_some_and(|values| values.iter().all(Value::is_number))
}

fn object(schema: &Value) -> Shape<'_> {
    if let Some(known) = KnownType::find(schema) {
        return Shape::Known(known);
    }
    let has_properties = properties(schema).next().is_some();
    match &schema["additionalProperties"] {
        values @ (Value::Object(_) | Value::Bool(true)) if !has_properties => Shape::Map(values),
        _ if !has_properties && is_open(schema) => Shape::Any,
        _ => Shape::Struct,
    }
}

/// Whether null is a value, and an `Option` holds it: a `serde_json::Value` holds null by itself.
pub(super) fn is_nullable(schema: &Value) -> bool {
    admits_null(schema) && !matches!(shape(schema), Shape::Any)
}

/// What the schema of a type does not say by itself: keywords that are to be set, and those that are to go.
pub(super) fn facts(schema: &Value) -> Map<String, Value> {
    let shape = shape(schema);
    let mut facts = Map::new();
    let words = without_texts(schema);
    for (name, value) in words.as_object().into_iter().flatten() {
        let name = name.as_str();
        let is_said = match shape {
            Shape::Plain(Plain::IntOrString) => name == "x-kubernetes-int-or-string",
            Shape::Plain(plain) => {
                name == "type" || name == "format" && plain.format() == value.as_str()
            }
            Shape::Enum(words) => name == "type" || name == "enum" && is_of_variants(words),
            Shape::Struct => ["type", "properties", "required"].contains(&name),
            Shape::List(_) => ["type", "items"].contains(&name),
            Shape::Map(_) => ["type", "additionalProperties"].contains(&name),
            Shape::Known(_) | Shape::Any => false,
        };
        if !is_said {
            facts.insert(name.to_owned(), value.clone());
        }
    }
    match shape {
        Shape::Plain(plain) if plain.format().is_some() && schema.get("format").is_none() => {
            facts.insert("format".to_owned(), Value::Null);
        }
        Shape::Struct => {
            let required = schema["required"].as_array();
            let has = |name: &Value| properties(schema).any(|(property, _)| name == property);
            if let Some(required) = required.filter(|required| !required.iter().all(has)) {
                facts.insert("required".to_owned(), required.clone().into());
            }
        }
        // A schema of no words at all is still an object.
        Shape::Any if facts.is_empty() => {
            facts.insert("type".to_owned(), Value::Null);
        }
        _ => {}
    }
    facts
}

/// Whether the variants of an enum are its words: each of them once, and no null.
fn is_of_variants(words: &[Value]) -> bool {
    let mut known = BTreeSet::new();
    let mut words = words.iter();
    words.all(|word| word.as_str().is_some_and(|word| known.insert(word)))
}

/// Whether the schema of the type says all.
pub(super) fn is_said_by_type(schema: &Value) -> bool {
    match shape(schema) {
        Shape::Enum(words) => !words.contains(&Value::Null),
        Shape::Struct => true,
        Shape::Known(_) => false,
        Shape::Plain(_) | Shape::Any | Shape::Map(Value::Bool(_)) => facts(schema).is_empty(),
        Shape::List(inner) | Shape::Map(inner) => {
            facts(schema).is_empty() && is_said_by_type(inner)
        }
    }
}

/// A schema without what is for people.
pub(super) fn without_texts(schema: &Value) -> Value {
    strip(schema, true)
}

fn strip(value: &Value, is_schema: bool) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(name, value)| {
                // A property may be called so too.
                let is_text = is_schema && TEXTS.contains(&&***name);
                !is_text || (name.as_str() != "example" && !value.is_string())
            });
            let fields = fields.map(|(name, value)| {
                let is_schema = match name.as_str() {
                    _ if !is_schema => true,
                    "properties" => false,
                    // Not a schema, whatever it holds.
                    "default" | "enum" => return (name.clone(), value.clone()),
                    _ => true,
                };
                (name.clone(), strip(value, is_schema))
            });
            Value::Object(fields.collect())
        }
        Value::Array(items) => items.iter().map(|item| strip(item, true)).collect(),
        value => value.clone(),
    }
}

/// A schema as text that is the same for the same schemas, whatever their texts and the order of their keywords.
pub(super) fn canonical(schema: &Value) -> String {
    let mut schema = without_texts(schema);
    schema.sort_all_objects();
    schema.to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What is called as a text is data there.
    #[test]
    fn a_default_keeps_what_it_has() {
        let default = json!({ "description": "Waiting", "title": "", "example": 1 });
        let schema = json!({
            "type": "object",
            "description": "goes",
            "default": default,
            "properties": { "description": { "type": "string", "title": "goes" } },
        });
        assert_eq!(facts(&schema)["default"], default);
        let any = json!({ "description": "goes", "default": default, "enum": [default] });
        assert_eq!(
            facts(&any),
            *json!({ "default": default, "enum": [default] })
                .as_object()
                .expect("facts")
        );
    }
}
