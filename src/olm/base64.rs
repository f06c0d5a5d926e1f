//! Bytes in JSON as Go reads them.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};
use serde_json::Value;

/// Takes bits behind the last byte, as Go does.
const ENGINE: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);

/// The bytes of a text in base64, in one line or several.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let text: String = text.chars().filter(|c| !"\r\n".contains(*c)).collect();
    ENGINE.decode(text).ok()
}

/// Whether a value is bytes: base64, or a list of numbers.
pub(super) fn is_bytes(value: &Value) -> bool {
    let is_byte = |item: &Value| item.is_null() || item.as_u64().is_some_and(|it| it < 256);
    match value {
        Value::String(text) => decode(text).is_some(),
        Value::Array(items) => items.iter().all(is_byte),
        value => value.is_null(),
    }
}
