//! JSON and strings, as Rust source has them.

use std::ptr;

use serde_json::{Map, Value};

use super::Source;
use super::identifier::is_invisible;
use super::token::{self, Token};
use crate::rustfmt::WIDTH;

/// A string literal: a raw one if that is easier to read.
pub(in crate::external) fn string(text: &str) -> Source {
    Source {
        text: quoted(text),
        tokens: vec![Token::Text(text.to_owned())],
    }
}

fn quoted(text: &str) -> String {
    let is_plain = |c: char| !c.is_control() && !is_invisible(c);
    if text.chars().all(is_plain) {
        if !text.contains(['"', '\\']) {
            return format!("\"{text}\"");
        }
        if let Some(raw) = raw(text) {
            return raw;
        }
    }
    let letters = text.chars().map(|c| match c {
        '\'' => "'".to_owned(),
        c if c.is_ascii() => c.escape_debug().to_string(),
        c if is_plain(c) => c.to_string(),
        c => c.escape_unicode().to_string(),
    });
    format!("\"{}\"", letters.collect::<String>())
}

/// A raw string literal, if some hashes are enough to end it.
fn raw(text: &str) -> Option<String> {
    let mut hashes = (0..=8).map(|count| "#".repeat(count));
    let hashes = hashes.find(|hashes| !text.contains(&format!("\"{hashes}")))?;
    Some(format!("r{hashes}\"{text}\"{hashes}"))
}

/// A value as the text of its JSON, over several lines.
pub(in crate::external) fn parsed(value: &Value) -> Source {
    let mut text = String::new();
    for c in format!("{value:#}\n").chars() {
        if (c.is_control() && c != '\n') || is_invisible(c) {
            let units = c.encode_utf16(&mut [0; 2]).to_vec();
            text.extend(units.iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            text.push(c);
        }
    }
    Source {
        tokens: vec![Token::Text(text.clone())],
        text: raw(&text).unwrap_or_else(|| quoted(&text)),
    }
}

/// A value as `json!` takes it.
pub(in crate::external) fn json(value: &Value) -> Source {
    Hole(None).json(value)
}

/// A list as `json!` takes it, an item on each line.
pub(in crate::external) fn array(items: &[Value], indent: usize) -> Source {
    Hole(None).array(items, indent)
}

/// An object as `json!` takes it, a field on each line.
pub(in crate::external) fn object(fields: &Map<String, Value>, indent: usize) -> Source {
    Hole(None).object(fields, indent)
}

/// An object as `json!` takes it, with an expression in the place of one of the values in it.
pub(in crate::external) fn object_with(
    fields: &Map<String, Value>,
    indent: usize,
    place: &Value,
    expression: &Source,
) -> Source {
    Hole(Some((place, expression))).object(fields, indent)
}

/// The value that an expression stands for, and the expression.
#[derive(Clone, Copy)]
struct Hole<'a>(Option<(&'a Value, &'a Source)>);

impl Hole<'_> {
    fn json(self, value: &Value) -> Source {
        if let Some((place, expression)) = self.0
            && ptr::eq(place, value)
        {
            return expression.clone();
        }
        match value {
            Value::Null => Source::of("null", &[]),
            Value::Bool(true) => Source::of("true", &[]),
            Value::Bool(false) => Source::of("false", &[]),
            Value::Number(number) => self::number(number),
            Value::String(text) => string(text),
            Value::Array(items) => {
                let items = items.iter().map(|item| self.json(item));
                Source::of("[$]", &[&Source::joined(items, ", ")])
            }
            Value::Object(fields) => {
                let fields = fields.iter().map(|(name, value)| self.field(name, value));
                Source::of("{$}", &[&Source::joined(fields, ", ")])
            }
        }
    }

    fn field(self, name: &str, value: &Value) -> Source {
        Source::of("$: $", &[&string(name), &self.json(value)])
    }

    fn object(self, fields: &Map<String, Value>, indent: usize) -> Source {
        let inner = Source::spaces(indent + 4);
        let lines: Source = fields
            .iter()
            .map(|(name, value)| {
                let one_line = Source::of("$$,\n", &[&inner, &self.field(name, value)]);
                let several = match value {
                    Value::Object(fields) if one_line.width() > WIDTH => {
                        self.object(fields, indent + 4)
                    }
                    Value::Array(items) if one_line.width() > WIDTH => {
                        self.array(items, indent + 4)
                    }
                    _ => return one_line,
                };
                Source::of("$$: $,\n", &[&inner, &string(name), &several])
            })
            .collect();
        Source::of("{\n$$}", &[&lines, &Source::spaces(indent)])
    }

    fn array(self, items: &[Value], indent: usize) -> Source {
        let inner = Source::spaces(indent + 4);
        let lines: Source = items
            .iter()
            .map(|item| {
                let one_line = self.json(item);
                let item = match item {
                    Value::Object(fields) if one_line.width() + indent > 92 => {
                        self.object(fields, indent + 4)
                    }
                    _ => one_line,
                };
                Source::of("$$,\n", &[&inner, &item])
            })
            .collect();
        Source::of("[\n$$]", &[&lines, &Source::spaces(indent)])
    }
}

/// A number with its type, if that is not the one that Rust takes.
fn number(number: &serde_json::Number) -> Source {
    let is_small = |value: i64| i32::try_from(value).is_ok();
    let text = match (number.as_i64(), number.as_u64()) {
        (Some(value), _) if is_small(value) => value.to_string(),
        (Some(value), _) => format!("{value}_i64"),
        (None, Some(value)) => format!("{value}_u64"),
        (None, None) => number.to_string(),
    };
    Source {
        tokens: token::of_text(&text).unwrap_or_default(),
        text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_string_is_the_same_string_in_rust() {
        for text in [
            "plain",
            "a\"b",
            "a\\d\"#",
            "line\nline",
            "tab\t\"",
            "\u{0}",
            "é\\",
            "it's\r\n\"",
            &format!("\"{}", "#".repeat(300)),
            "\u{202e}\u{2066}\u{feff}\u{200b}\u{2028}é\u{7f}\u{85}\u{e0001}",
        ] {
            let source = string(text).checked().expect(text);
            let literal: syn::LitStr = syn::parse_str(&source).expect(text);
            assert_eq!(literal.value(), text);
            let json = parsed(&json!({ text: text })).checked().expect(text);
            let literal: syn::LitStr = syn::parse_str(&json).expect(text);
            let value: Value = serde_json::from_str(&literal.value()).expect(text);
            assert_eq!(value, json!({ text: text }));
        }
    }

    #[test]
    fn large_integers_have_their_type() {
        for (value, source) in [
            (
                json!([1, -1, 9_007_199_254_740_993_i64]),
                "[1, -1, 9007199254740993_i64]",
            ),
            (json!(u64::MAX), "18446744073709551615_u64"),
            (json!(i64::MIN), "-9223372036854775808_i64"),
            (json!(1e30), "1e+30"),
            (json!({"a": [null, 0.5]}), "{\"a\": [null, 0.5]}"),
        ] {
            assert_eq!(json(&value).checked().as_deref(), Ok(source));
        }
    }
}
