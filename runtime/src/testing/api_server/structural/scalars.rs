//! Validates scalars.

use std::cell::RefCell;
use std::collections::HashMap;

use regex::Regex;
use serde_json::{Value, json};

use crate::testing::api_server::failure::{FieldError, Wrong};
use crate::testing::api_server::formats;

thread_local! {
    /// The compiled patterns: a test uses the same ones again and again.
    static PATTERNS: RefCell<HashMap<String, Option<Regex>>> = RefCell::default();
}

fn matches(pattern: &str, text: &str) -> bool {
    PATTERNS.with_borrow_mut(|known| {
        let regex = match known.get(pattern) {
            Some(regex) => regex,
            None => known
                .entry(pattern.to_owned())
                .or_insert_with(|| Regex::new(pattern).ok()),
        };
        regex.as_ref().is_some_and(|regex| regex.is_match(text))
    })
}

pub(super) fn string(source: &Value, text: &str, path: &str, errors: &mut Vec<FieldError>) {
    let length = text.chars().count();
    let mut fail = |detail: String| errors.push(FieldError::invalid(path, json!(text), detail));
    if source["minLength"]
        .as_u64()
        .is_some_and(|least| (length as u64) < least)
    {
        fail(format!(
            "{path} in body should be at least {} chars long",
            source["minLength"]
        ));
    }
    if let Some(pattern) = source["pattern"].as_str()
        && !matches(pattern, text)
    {
        fail(format!("{path} in body should match '{pattern}'"));
    }
    if let Some(format) = source["format"].as_str()
        && !formats::matches(format, text)
    {
        fail(format!("{path} in body must be of type {format}: {text:?}"));
    }
    if let Some(most) = source["maxLength"]
        .as_u64()
        .filter(|most| length as u64 > *most)
    {
        let detail = format!("may not be more than {most} bytes");
        errors.push(FieldError::new(Wrong::TooLong, path, Value::Null, detail));
    }
}

pub(super) fn number(source: &Value, value: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let number = value.as_f64().unwrap_or_default();
    let mut fail = |text: &str, limit: &Value| {
        let detail = format!("{path} in body should be {text} {}", shortest(limit));
        errors.push(FieldError::invalid(path, value.clone(), detail));
    };
    if let Some(least) = source["minimum"].as_f64() {
        let is_exclusive = source["exclusiveMinimum"] == true;
        if number < least || (is_exclusive && number <= least) {
            fail(
                if is_exclusive {
                    "greater than"
                } else {
                    "greater than or equal to"
                },
                &source["minimum"],
            );
        }
    }
    if let Some(most) = source["maximum"].as_f64() {
        let is_exclusive = source["exclusiveMaximum"] == true;
        if number > most || (is_exclusive && number >= most) {
            fail(
                if is_exclusive {
                    "less than"
                } else {
                    "less than or equal to"
                },
                &source["maximum"],
            );
        }
    }
    let factor = source["multipleOf"].as_f64().filter(|factor| *factor > 0.0);
    if factor.is_some_and(|factor| (number / factor).fract() != 0.0) {
        fail("a multiple of", &source["multipleOf"]);
    }
    let fits = match source["format"].as_str() {
        Some("int32") => value
            .as_i64()
            .is_none_or(|number| i32::try_from(number).is_ok()),
        Some("uint32") => value
            .as_i64()
            .is_none_or(|number| u32::try_from(number).is_ok()),
        _ => true,
    };
    if !fits {
        let format = source["format"].as_str().unwrap_or_default();
        let detail = format!("{} in body must be of type {format}: {:?}", path, "integer");
        errors.push(FieldError::new(Wrong::Invalid, path, value.clone(), detail));
    }
}

/// A number without a zero fraction.
fn shortest(limit: &Value) -> String {
    let text = limit.to_string();
    text.strip_suffix(".0")
        .map_or_else(|| text.clone(), str::to_owned)
}

pub(super) fn size(
    source: &Value,
    [least, most]: [&str; 2],
    what: &str,
    size: usize,
    path: &str,
    errors: &mut Vec<FieldError>,
) {
    if let Some(least) = source[least]
        .as_u64()
        .filter(|least| (size as u64) < *least)
    {
        let detail = format!("{path} in body should have at least {least} {what}");
        errors.push(FieldError::invalid(path, json!(size), detail));
    }
    if let Some(most) = source[most].as_u64().filter(|most| size as u64 > *most) {
        let detail = format!(
            "must have at most {most} item{}",
            if most == 1 { "" } else { "s" }
        );
        let mut error = FieldError::new(Wrong::TooMany, path, json!(size), detail);
        error.value = json!(size);
        errors.push(error);
    }
}

pub(super) fn one_of(allowed: &[Value], value: &Value, path: &str, errors: &mut Vec<FieldError>) {
    if allowed.contains(value) {
        return;
    }
    let allowed = allowed.iter().map(|value| match value {
        Value::String(text) => format!("{text:?}"),
        value => format!("{:?}", value.to_string()),
    });
    let detail = format!(
        "supported values: {}",
        allowed.collect::<Vec<_>>().join(", ")
    );
    errors.push(FieldError::new(
        Wrong::NotSupported,
        path,
        value.clone(),
        detail,
    ));
}
