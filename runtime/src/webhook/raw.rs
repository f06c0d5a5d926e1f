//! An unparsed object of a review, of which only the necessary parts are read.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::json;

#[derive(Deserialize)]
struct Object<'a> {
    #[serde(borrow)]
    metadata: Metadata<'a>,
}

#[derive(Deserialize)]
struct Metadata<'a> {
    #[serde(borrow, rename = "managedFields")]
    managed_fields: Option<&'a RawValue>,
}

/// The managed fields of an object: often half of its size, and the largest part in memory.
pub(super) fn managed_fields(object: &str) -> Option<&str> {
    let object: Object<'_> = serde_json::from_str(object).ok()?;
    object.metadata.managed_fields.map(RawValue::get)
}

pub(super) fn without_managed_fields(object: &str) -> Cow<'_, str> {
    let Some(fields) = managed_fields(object) else {
        return object.into();
    };
    let start = fields.as_ptr().addr() - object.as_ptr().addr();
    let (before, after) = (&object[..start], &object[start + fields.len()..]);
    format!("{before}null{after}").into()
}

/// The approximate memory of an object without its managed fields.
pub(super) fn weight(object: &str) -> usize {
    json::weight(object) - managed_fields(object).map_or(0, json::weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn managed_fields_are_taken_out_of_the_text() {
        let object = r#"{"a":[1],"metadata": { "managedFields" : [{"f":{}}] , "name":"a"},"b":2}"#;
        assert_eq!(managed_fields(object), Some(r#"[{"f":{}}]"#));
        let rest = r#"{"a":[1],"metadata": { "managedFields" : null , "name":"a"},"b":2}"#;
        assert_eq!(without_managed_fields(object), rest);
        assert_eq!(weight(object), json::weight(rest) - "null".len());
        for other in [rest, "1", "{}", r#"{"metadata":1}"#, r#"{"metadata":{}}"#] {
            assert_eq!(without_managed_fields(other), other);
        }
    }
}
