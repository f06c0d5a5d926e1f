//! Parses untrusted JSON of any depth.
//!
//! The API server stores objects that are nested thousands of levels deep if a schema preserves
//! unknown fields. `serde_json` fails at 128 levels, and with it the whole list or event that
//! contains the object.

use std::any::type_name;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Error, Value};

use crate::memory;

/// Maximum nesting depth. No schema is as deep, and a value of this depth can be parsed, compared and dropped on the
/// stack of any thread.
pub(crate) const DEEPEST: usize = 256;

/// The depth at which `serde_json` stops.
const SERDE_LIMIT: usize = 128;

/// One object of a cache takes at most this fraction of the memory. Otherwise anyone who can create an object could
/// end the operator.
const SHARE: usize = 8;

/// Reads a value.
///
/// # Errors
/// If it is not JSON, does not match the type, or is deeper than [`DEEPEST`].
pub(crate) fn from_str<'a, T: Deserialize<'a>>(text: &'a str) -> serde_json::Result<T> {
    // Most texts stay below the limit of `serde_json`, and are scanned only once.
    serde_json::from_str(text).or_else(|error| match depth(text) {
        ..SERDE_LIMIT => Err(error),
        SERDE_LIMIT..=DEEPEST => from_shallow(text),
        depth => {
            let why =
                format!("it is nested {depth} levels deep, but at most {DEEPEST} are supported");
            Err(Error::custom(why))
        }
    })
}

/// Reads an object that another client wrote.
///
/// # Errors
/// Like [`from_str`], and if it takes more than its share of the memory.
pub(crate) fn from_others<'a, T: Deserialize<'a>>(text: &'a str) -> serde_json::Result<T> {
    match too_heavy(text, memory::limit() / SHARE) {
        Some(why) => Err(Error::custom(why)),
        None => from_str(text),
    }
}

fn too_heavy(text: &str, most: usize) -> Option<String> {
    if text.len().saturating_mul(HEAVIEST) <= most {
        return None;
    }
    let weight = weight(text);
    let mebibytes = |bytes: usize| bytes >> 20;
    (weight > most).then(|| {
        format!(
            "reading its fields may take {} MiB of memory, but an object is limited to {} MiB",
            mebibytes(weight),
            mebibytes(most)
        )
    })
}

/// Reads a value whose [`depth`] is known to be at most [`DEEPEST`].
///
/// # Errors
/// If it is not JSON, or does not match the type.
fn from_shallow<'a, T: Deserialize<'a>>(text: &'a str) -> serde_json::Result<T> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.disable_recursion_limit();
    let value = T::deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// The JSON of a nested value, of any depth.
///
/// # Errors
/// If it is not JSON.
pub(crate) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Box<RawValue>, D::Error> {
    // An event whose type follows its object: serde has buffered the object without its text.
    if type_name::<D>().contains("ContentDeserializer") {
        let value = Value::deserialize(deserializer)?;
        return to_raw_value(&value).map_err(D::Error::custom);
    }
    Box::<RawValue>::deserialize(deserializer)
}

/// The maximum number of objects and lists that are open at the same time in a text.
pub(crate) fn depth(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    each_outside_strings(text, |byte| match byte {
        b'{' | b'[' => {
            depth += 1;
            deepest = deepest.max(depth);
        }
        b'}' | b']' => depth = depth.saturating_sub(1),
        _ => {}
    });
    deepest
}

/// Calls `look` with each byte that is not part of a string.
fn each_outside_strings(text: &str, mut look: impl FnMut(u8)) {
    let (mut in_string, mut is_escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            byte => look(byte),
        }
    }
}

/// The maximum [`weight`] of one byte: a brace.
const HEAVIEST: usize = 641;

/// The approximate memory of a text that is read as a [`Value`], or as a type with optional fields. This can be 90
/// bytes for each byte of text: an object with one field takes 640, and a value after a comma up to 144.
pub(crate) fn weight(text: &str) -> usize {
    let (mut objects, mut commas) = (0, 0);
    each_outside_strings(text, |byte| match byte {
        b'{' => objects += 1,
        b',' => commas += 1,
        _ => {}
    });
    text.len() + 640 * objects + 144 * commas
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists(depth: usize) -> String {
        "[".repeat(depth) + &"]".repeat(depth)
    }

    /// A number that is read as its neighbour would always differ from the applied number.
    #[test]
    fn a_number_is_read_as_it_was_written() {
        for number in [9_007_199_254_740_991.0, 0.1 + 0.2, 1e23, 5e-324] {
            let text = serde_json::to_string(&number).unwrap();
            let read: f64 = from_str(&text).unwrap();
            assert_eq!(read.to_bits(), f64::to_bits(number), "{text}");
        }
    }

    #[test]
    fn depth_is_that_of_objects_and_lists() {
        for (text, expected) in [
            ("1", 0),
            ("[]", 1),
            (r#"{"a":[1,{}],"b":{}}"#, 3),
            (r#"["[[[", "\"{{", "\\"]"#, 1),
            (r#"["\\",[1]]"#, 2),
        ] {
            assert_eq!(depth(text), expected, "{text}");
        }
        assert_eq!(depth(&lists(9_999)), 9_999);
    }

    #[test]
    fn weight_is_that_of_objects_and_their_fields() {
        assert_eq!(weight(r#"{"a":"{,{,"}"#), 12 + 640);
        assert_eq!(weight(r#"[{"a":1},2]"#), 11 + 640 + 144);
    }

    /// The API server stores 1.3 MB, which would take 149 MB of memory.
    #[test]
    fn an_object_of_more_than_its_share_is_not_read() {
        let text = format!("[{}]", vec![r#"{"":0}"#; 190_000].join(","));
        let why = too_heavy(&text, 16 << 20).unwrap();
        let expected =
            "reading its fields may take 143 MiB of memory, but an object is limited to 16 MiB";
        assert_eq!(why, expected);
        let text = format!(r#"{{"data":{{"a":"{}"}}}}"#, "x,{".repeat(400_000));
        assert_eq!(too_heavy(&text, 16 << 20), None);
    }

    #[test]
    fn a_deep_value_is_read_and_a_deeper_one_is_an_error() {
        assert!(from_str::<Value>(&lists(DEEPEST)).is_ok());
        let error = from_str::<Value>(&lists(DEEPEST + 1)).unwrap_err();
        let expected = "it is nested 257 levels deep, but at most 256 are supported";
        assert_eq!(error.to_string(), expected);
        assert!(from_str::<Value>("[] 1").is_err());
    }
}
