//! The base: the part of a `ClusterServiceVersion` that a person edits.

use serde_json::{Map, Value};

use crate::error::{Code, Context, Error, Result};
use crate::yaml;

/// Fields that rop completes, and whether they are lists. Anything else in them would be lost.
const COMPLETED: [(&str, bool); 7] = [
    ("/metadata", false),
    ("/metadata/annotations", false),
    ("/spec", false),
    ("/spec/customresourcedefinitions", false),
    ("/spec/customresourcedefinitions/owned", true),
    ("/spec/customresourcedefinitions/required", true),
    ("/spec/relatedImages", true),
];

/// Reads the text of the base.
///
/// # Errors
/// It is not YAML, or a field of it is of another type than OLM reads.
pub(super) fn parse(text: &str, path: &str) -> Result<Map<String, Value>> {
    let base =
        yaml::from_str(text).context(Code::MalformedFile, || format!("`{path}` is not YAML"))?;
    check(base, path)
}

/// Checks the types of the fields of a base.
///
/// # Errors
/// A field of it is of another type than OLM reads.
pub(super) fn check(base: Value, path: &str) -> Result<Map<String, Value>> {
    for (field, is_list) in COMPLETED {
        let value = base.pointer(field).unwrap_or(&Value::Null);
        let is_right = if is_list {
            value.is_array()
        } else {
            value.is_object()
        };
        if !is_right && !value.is_null() {
            let field = field[1..].replace('/', ".");
            let kind = if is_list { "a list" } else { "an object" };
            let message = format!("`{field}` in `{path}` is not {kind}");
            let error = Error::new(Code::MalformedFile, message);
            return Err(error.hint("fix the field, or remove it"));
        }
    }
    if let Value::Object(fields) = base {
        Ok(fields)
    } else {
        let error = Error::new(Code::MalformedFile, format!("`{path}` is not an object"));
        Err(error.hint("move the file elsewhere: `rop bundle` creates a new one"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_of_another_type_is_refused() {
        for (text, message) in [
            ("- a\n", "`base.yaml` is not an object"),
            ("spec: []\n", "`spec` in `base.yaml` is not an object"),
            (
                "metadata: {annotations: text}\n",
                "`metadata.annotations` in",
            ),
            ("spec: {relatedImages: {}}\n", "is not a list"),
        ] {
            let error = parse(text, "base.yaml").expect_err(text);
            assert!(format!("{error:?}").contains(message), "{error:?}");
        }
        // operator-sdk writes such fields.
        parse(
            "spec:\n  relatedImages:\n  customresourcedefinitions: {}\n",
            "",
        )
        .expect("a base");
    }
}
