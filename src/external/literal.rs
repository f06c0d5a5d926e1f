//! JSON and strings, as Rust source has them.

use serde_json::{Map, Value};

/// A string literal: a raw one if that is easier to read.
pub(super) fn string(text: &str) -> String {
    let is_plain = |c: char| !c.is_control() && c != '\u{feff}';
    let quotes = text.contains(['"', '\\']);
    if !quotes || !text.chars().all(is_plain) {
        return format!("{text:?}");
    }
    raw(text)
}

/// A raw string literal.
pub(super) fn raw(text: &str) -> String {
    let mut hashes = String::new();
    while text.contains(&format!("\"{hashes}")) {
        hashes.push('#');
    }
    format!("r{hashes}\"{text}\"{hashes}")
}

/// A value as `json!` takes it.
pub(super) fn json(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => match number.as_i64() {
            Some(value) if i32::try_from(value).is_err() => format!("{value}_i64"),
            _ => number.to_string(),
        },
        Value::String(text) => string(text),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(json).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(fields) => {
            let fields = fields.iter();
            let fields: Vec<_> = fields
                .map(|(name, value)| format!("{}: {}", string(name), json(value)))
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
    }
}

/// An object as `json!` takes it, a field on each line.
pub(super) fn object(fields: &Map<String, Value>, indent: usize) -> String {
    let inner = " ".repeat(indent + 4);
    let lines = fields.iter().map(|(name, value)| {
        let one_line = format!("{inner}{}: {},\n", string(name), json(value));
        match value {
            Value::Object(fields) if one_line.len() > 100 => {
                let value = object(fields, indent + 4);
                format!("{inner}{}: {value},\n", string(name))
            }
            Value::Array(items) if one_line.len() > 100 => {
                let value = array(items, indent + 4);
                format!("{inner}{}: {value},\n", string(name))
            }
            _ => one_line,
        }
    });
    let lines: String = lines.collect();
    format!("{{\n{lines}{}}}", " ".repeat(indent))
}

/// A list as `json!` takes it, an item on each line.
pub(super) fn array(items: &[Value], indent: usize) -> String {
    let inner = " ".repeat(indent + 4);
    let lines = items.iter().map(|item| match item {
        Value::Object(fields) if json(item).len() + indent > 92 => {
            format!("{inner}{},\n", object(fields, indent + 4))
        }
        item => format!("{inner}{},\n", json(item)),
    });
    let lines: String = lines.collect();
    format!("[\n{lines}{}]", " ".repeat(indent))
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
        ] {
            let literal: syn::LitStr = syn::parse_str(&string(text)).expect(text);
            assert_eq!(literal.value(), text);
        }
    }

    #[test]
    fn large_integers_have_their_type() {
        assert_eq!(
            json(&json!([1, -1, 9_007_199_254_740_993_i64])),
            "[1, -1, 9007199254740993_i64]"
        );
        assert_eq!(json(&json!({"a": [null, 0.5]})), "{\"a\": [null, 0.5]}");
    }
}
