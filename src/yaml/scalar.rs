//! Scalars as kubectl reads them: by the rules of YAML 1.1, so `0644` is a number in octal and `on` is a boolean.

use serde_json::{Number, Value};

/// The first integer behind those that a Kubernetes integer can hold, as a float.
const BEYOND: f64 = 9_223_372_036_854_775_808.0;

/// What a word without quotes is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scalar {
    Null,
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text,
}

/// The value of a scalar without quotes.
///
/// # Errors
/// JSON, and so Kubernetes, does not have it: `.nan`.
pub(super) fn value(text: &str) -> Result<Value, String> {
    Ok(match resolve(text) {
        Scalar::Null => Value::Null,
        Scalar::Bool(value) => value.into(),
        Scalar::Integer(value) => value.into(),
        Scalar::Float(value) => match integer(value) {
            Some(value) => value.into(),
            None => Number::from_f64(value)
                .map(Value::Number)
                .ok_or_else(|| format!("`{text}` is not a number that JSON has"))?,
        },
        Scalar::Text => text.into(),
    })
}

/// Whether a scalar is of the type that a tag names. An integer is a number, too.
pub(super) fn fits(text: &str, tag: &str) -> bool {
    matches!(
        (tag, resolve(text)),
        ("bool", Scalar::Bool(_))
            | ("float", Scalar::Float(_) | Scalar::Integer(_))
            | ("int", Scalar::Integer(_))
            | ("null", Scalar::Null)
    )
}

/// A scalar without quotes as a key: Kubernetes has no keys but strings.
///
/// # Errors
/// It is null.
pub(super) fn key(text: &str) -> Result<String, String> {
    Ok(match resolve(text) {
        Scalar::Null => return Err("a key is null".to_owned()),
        Scalar::Bool(value) => value.to_string(),
        Scalar::Integer(value) => value.to_string(),
        Scalar::Float(value) => short(value),
        Scalar::Text => text.to_owned(),
    })
}

fn resolve(text: &str) -> Scalar {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Scalar::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            return Scalar::Bool(true);
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            return Scalar::Bool(false);
        }
        ".nan" | ".NaN" | ".NAN" => return Scalar::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => {
            return Scalar::Float(f64::INFINITY);
        }
        "-.inf" | "-.Inf" | "-.INF" => return Scalar::Float(f64::NEG_INFINITY),
        _ => {}
    }
    if !text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
        return Scalar::Text;
    }
    let plain = if text.starts_with('.') {
        text.to_owned()
    } else {
        text.replace('_', "")
    };
    if let Some(value) = parse_integer(&plain) {
        return Scalar::Integer(value);
    }
    // A float that overflows stays text.
    match plain.parse::<f64>() {
        Ok(value) if value.is_finite() && is_float(&plain) => Scalar::Float(value),
        _ => Scalar::Text,
    }
}

/// An integer in base 2, 8, 10 or 16. Where it starts with `0`, it is octal.
fn parse_integer(text: &str) -> Option<i64> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => ("-", &text[1..]),
        b'+' => ("", &text[1..]),
        _ => ("", text),
    };
    let prefix = digits.get(..2).unwrap_or_default().to_ascii_lowercase();
    let (base, digits) = match prefix.as_str() {
        "0x" => (16, &digits[2..]),
        "0b" => (2, &digits[2..]),
        "0o" => (8, &digits[2..]),
        _ if prefix.starts_with('0') => (8, &digits[1..]),
        _ => (10, digits),
    };
    let starts_with_digit = digits.starts_with(|c: char| c.is_digit(base));
    let value = i64::from_str_radix(&format!("{sign}{digits}"), base);
    value.ok().filter(|_| starts_with_digit)
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`: Rust reads more than that, such as `infinity`.
fn is_float(text: &str) -> bool {
    let only = |set: &str| text.chars().all(|c| c.is_ascii_digit() || set.contains(c));
    only("+-.eE") && text.contains(|c: char| c.is_ascii_digit())
}

/// A float that is a whole number of Kubernetes.
fn integer(value: f64) -> Option<i64> {
    let is_whole = value.fract() == 0.0 && (-BEYOND..BEYOND).contains(&value);
    #[expect(clippy::cast_possible_truncation, reason = "it is in the range")]
    is_whole.then_some(value as i64)
}

/// A float as Go prints it if it is short: of 32 bits, with an exponent from seven digits on.
fn short(value: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "kubectl keeps 32 bits of a key"
    )]
    let value = value as f32;
    if value.is_nan() {
        return ".nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { ".inf" } else { "-.inf" }.to_owned();
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    match exponent.parse::<i32>().unwrap_or_default() {
        -4..21 => value.to_string(),
        exponent => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", exponent.abs())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What kubectl 1.32 makes of them.
    #[test]
    fn scalars_are_read_as_kubectl_reads_them() {
        for (text, expected) in [
            ("0644", json!(420)),
            ("0x1F", json!(31)),
            ("1_000", json!(1000)),
            ("yes", json!(true)),
            ("off", json!(false)),
            ("y", json!(true)),
            ("N", json!(false)),
            ("~", json!(null)),
            ("2024-01-01", json!("2024-01-01")),
            ("1.10", json!(1.1)),
            ("1e3", json!(1000)),
            ("1.0", json!(1)),
            ("0o17", json!(15)),
            ("08", json!(8)),
            ("0b11", json!(3)),
            ("-0b11", json!(-3)),
            (".5", json!(0.5)),
            ("+5", json!(5)),
            ("-0x1F", json!(-31)),
            ("12e03", json!(12000)),
            ("1e400", json!("1e400")),
            ("1:30", json!("1:30")),
            ("+.5", json!(0.5)),
            ("0_7", json!(7)),
            ("_1", json!("_1")),
            ("1_", json!(1)),
            ("0x_1", json!(1)),
            ("18446744073709551615", json!(18_446_744_073_709_552_000.0)),
            ("-9223372036854775808", json!(i64::MIN)),
            (
                "-9223372036854775809",
                json!(-9_223_372_036_854_775_808_i64),
            ),
            ("NULL", json!(null)),
            ("tRUE", json!("tRUE")),
            ("0.", json!(0)),
            (".e3", json!(".e3")),
            ("1e-7", json!(1e-7)),
            ("+", json!("+")),
            ("0x", json!("0x")),
            ("0xG", json!("0xG")),
            ("0o8", json!("0o8")),
            ("0", json!(0)),
            ("-0", json!(0)),
            ("--1", json!("--1")),
            ("0x-1", json!("0x-1")),
            ("1e", json!("1e")),
            ("1.2.3", json!("1.2.3")),
            ("+infinity", json!("+infinity")),
        ] {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
        for text in [".nan", ".inf", "-.Inf"] {
            assert!(value(text).is_err(), "{text}");
        }
    }

    #[test]
    fn keys_are_strings() {
        for (text, expected) in [
            ("on", "true"),
            ("0644", "420"),
            ("1.10", "1.1"),
            ("1e3", "1000"),
            (".inf", ".inf"),
            ("1e-7", "1e-07"),
            ("word", "word"),
        ] {
            assert_eq!(key(text).as_deref(), Ok(expected));
        }
        assert!(key("~").is_err());
    }
}
