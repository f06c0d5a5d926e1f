//! Combined schemas: `anyOf`, `oneOf`, `allOf` and `not`.

use serde_json::{Value, json};

use super::value;
use crate::testing::api_server::failure::FieldError;
use crate::testing::api_server::schema::crd;

/// Validates a value against combined schemas.
pub(super) fn combined(source: &Value, value_of: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let fits = |source: &Value| {
        let mut errors = Vec::new();
        let schema = crd::plain(source);
        value(&schema, value_of, None, path, &mut errors);
        errors.is_empty()
    };
    let count = |name: &str| {
        source[name].as_array().map(|list| {
            (
                list.len(),
                list.iter().filter(|schema| fits(schema)).count(),
            )
        })
    };
    let fail = |text: &str, errors: &mut Vec<FieldError>| {
        let detail = format!("{path:?} {text}");
        errors.push(FieldError::invalid("<nil>", json!(""), detail));
    };
    if count("anyOf").is_some_and(|(_, good)| good == 0) {
        fail("must validate at least one schema (anyOf)", errors);
        if let Some(first) = source["anyOf"].get(0) {
            value(&crd::plain(first), value_of, None, path, errors);
        }
    }
    match count("oneOf") {
        Some((_, 0)) => fail(
            "must validate one and only one schema (oneOf). Found none valid",
            errors,
        ),
        Some((_, good)) if good > 1 => {
            fail(
                &format!(
                    "must validate one and only one schema (oneOf). Found {good} valid alternatives"
                ),
                errors,
            );
        }
        _ => {}
    }
    if count("allOf").is_some_and(|(all, good)| good < all) {
        fail("must validate all the schemas (allOf)", errors);
    }
    if source["not"].is_object() && fits(&source["not"]) {
        fail("must not validate the schema (not)", errors);
    }
}
