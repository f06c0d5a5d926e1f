//! Texts that a schema allows.

use serde_json::Value;

use super::pattern;
use crate::expression::expression;
use crate::external::validate::holds;

/// What texts hold often, the plainest first: some pattern or format wants one of them.
const USUAL: &[&str] = &[
    "example",
    "example.com",
    "https://example.com",
    "web@example.com",
    "192.0.2.1",
    "192.0.2.0/24",
    "2001:db8::1",
    "2001:db8::/32",
    "2026-01-01",
    "2026-01-01T00:00:00Z",
    "1h",
    "1Gi",
    "1",
    "v1.0.0",
    "/example",
    "example:1",
    "ZXhhbXBsZQ==",
    "00000000-0000-4000-8000-000000000000",
    "00000000-0000-3000-8000-000000000000",
    "00000000-0000-5000-8000-000000000000",
    "123-45-6789",
    "rgb(1,2,3)",
    "507f1f77bcf86cd799439011",
    "00:00:5e:00:53:01",
    "#112233",
    "4111111111111111",
    "9780131103627",
    "0131103628",
];

/// A text that a schema allows, other than those that are taken; `example` if none is found.
pub(super) fn text(schema: &Value, taken: &[Value]) -> Value {
    let pattern = schema["pattern"].as_str();
    let parsed = pattern.map(expression);
    if matches!(parsed, Some(None)) {
        return "example".into();
    }
    let expression = parsed.flatten();
    let matches = |text: &String| {
        expression
            .as_ref()
            .is_none_or(|expression| expression.is_match(text))
    };
    let usual = USUAL.iter().map(|text| (*text).to_owned());
    let numbered = (2..200).map(|number| format!("example{number}"));
    let all = usual
        .clone()
        .take(1)
        .chain(resized(schema))
        .chain(usual.skip(1))
        .chain(pattern.into_iter().flat_map(pattern::texts))
        .chain(numbered);
    let mut values = all.filter(matches).map(Value::String);
    values
        .find(|value| holds(schema, value) && !taken.contains(value))
        .unwrap_or_else(|| "example".into())
}

/// `example` in the length that a schema wants.
fn resized(schema: &Value) -> Option<String> {
    let limit = |keyword: &str| {
        let limit = schema[keyword].as_u64();
        limit.and_then(|limit| usize::try_from(limit).ok())
    };
    let least = limit("minLength").unwrap_or_default().min(100_000);
    let most = limit("maxLength").unwrap_or(usize::MAX);
    let letters = "example".chars().chain(std::iter::repeat('e'));
    let length = least.max(7).min(most);
    (length != 7).then(|| letters.take(length).collect())
}
