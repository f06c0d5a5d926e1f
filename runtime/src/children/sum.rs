//! Hashes of values.

use std::hash::{BuildHasher, Hash};

use foldhash::quality::FixedState;
use serde_json_borrow::Value;

/// A short stand-in for a value: equal for equal values, whatever the order of their fields.
pub(super) fn sum(value: &Value) -> u64 {
    match value {
        Value::Object(object) => members(object.iter().map(|(name, value)| (name, sum(value)))),
        Value::Array(list) => elements(list.iter().map(sum)),
        value => hash(value),
    }
}

/// The sum of an object of which each member has this sum. Their order is lost in the addition.
pub(super) fn members<'a>(members: impl Iterator<Item = (&'a str, u64)>) -> u64 {
    members.map(hash).fold(0, u64::wrapping_add)
}

/// The sum of a list of which each element has this sum.
pub(super) fn elements(elements: impl Iterator<Item = u64>) -> u64 {
    elements.fold(hash('['), |before, element| hash((before, element)))
}

pub(super) fn hash(value: impl Hash) -> u64 {
    FixedState::default().hash_one(value)
}
