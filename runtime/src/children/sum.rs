//! Hashes of values.

use std::hash::{BuildHasher, Hash};

use foldhash::quality::FixedState;
use serde_json_borrow::Value;

/// The hash of a value: equal for equal values, regardless of the order of their fields.
pub(super) fn sum(value: &Value) -> u64 {
    match value {
        Value::Object(object) => members(object.iter().map(|(name, value)| (name, sum(value)))),
        Value::Array(list) => elements(list.iter().map(sum)),
        value => hash(value),
    }
}

/// The hash of an object, from the hashes of its members. The addition ignores their order.
pub(super) fn members<'a>(members: impl Iterator<Item = (&'a str, u64)>) -> u64 {
    members.map(hash).fold(0, u64::wrapping_add)
}

/// The hash of a list, from the hashes of its elements.
pub(super) fn elements(elements: impl Iterator<Item = u64>) -> u64 {
    elements.fold(hash('['), |before, element| hash((before, element)))
}

pub(super) fn hash(value: impl Hash) -> u64 {
    FixedState::default().hash_one(value)
}
