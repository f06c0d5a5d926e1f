//! The types of fields: opm reads blobs into structs of Go.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::super::blob::{BUNDLE, Blob, CHANNEL, DEPRECATIONS, PACKAGE};
use super::super::finding::Finding;
use super::Rule;

/// What a field holds, if it is set.
#[derive(Clone, Copy)]
pub(super) enum Type {
    Text,
    Base64,
    Object,
    List,
}

use Type::{Base64, List, Object, Text};

/// The fields of each schema; `*` stands for each member of a list or an object.
const FIELDS: [(&str, &[(&str, Type)]); 4] = [
    (
        PACKAGE,
        &[
            ("name", Text),
            ("defaultChannel", Text),
            ("description", Text),
            ("icon", Object),
            ("icon/base64data", Base64),
            ("icon/mediatype", Text),
            ("properties", List),
            ("properties/*", Object),
            ("properties/*/type", Text),
        ],
    ),
    (
        CHANNEL,
        &[
            ("name", Text),
            ("package", Text),
            ("entries", List),
            ("entries/*", Object),
            ("entries/*/name", Text),
            ("entries/*/replaces", Text),
            ("entries/*/skipRange", Text),
            ("entries/*/skips", List),
            ("entries/*/skips/*", Text),
            ("properties", List),
            ("properties/*", Object),
            ("properties/*/type", Text),
        ],
    ),
    (
        BUNDLE,
        &[
            ("name", Text),
            ("package", Text),
            ("image", Text),
            ("properties", List),
            ("properties/*", Object),
            ("properties/*/type", Text),
            ("relatedImages", List),
            ("relatedImages/*", Object),
            ("relatedImages/*/name", Text),
            ("relatedImages/*/image", Text),
        ],
    ),
    (
        DEPRECATIONS,
        &[
            ("package", Text),
            ("entries", List),
            ("entries/*", Object),
            ("entries/*/message", Text),
            ("entries/*/reference", Object),
            ("entries/*/reference/schema", Text),
            ("entries/*/reference/name", Text),
        ],
    ),
];

/// Reports each field of a blob that has another type.
pub(super) fn check(blob: &Blob, findings: &mut Vec<Finding>) {
    if !blob.value().is_object() || blob.lacks("/schema") {
        findings.push(Finding::in_blob(
            Rule::SchemaMissing,
            blob,
            "",
            "the document has no `schema`",
        ));
        return;
    }
    let mut wrong = Vec::new();
    if !blob.value()["schema"].is_string() {
        wrong.push(("/schema".to_owned(), "a string"));
    }
    let fields = FIELDS.iter().find(|(schema, _)| *schema == blob.schema());
    for (path, wanted) in fields.into_iter().flat_map(|(_, fields)| *fields) {
        wrong.extend(mismatches(blob.value(), path, *wanted));
    }
    findings.extend(wrong.into_iter().map(|(pointer, wanted)| {
        let message = format!("the field is not {wanted}");
        Finding::in_blob(Rule::FieldType, blob, &pointer, message)
    }));
}

/// Where a value has something else at a path than what is wanted, and what that is.
pub(super) fn mismatches(value: &Value, path: &str, wanted: Type) -> Vec<(String, &'static str)> {
    let mut found = vec![(String::new(), value)];
    for part in path.split('/') {
        let mut next = Vec::new();
        for (pointer, value) in found {
            match (part, value) {
                ("*", Value::Array(items)) => {
                    let items = items.iter().enumerate();
                    next.extend(items.map(|(index, item)| (format!("{pointer}/{index}"), item)));
                }
                ("*", Value::Object(fields)) => {
                    let step = |key: &str| key.replace('~', "~0").replace('/', "~1");
                    let fields = fields.iter();
                    next.extend(
                        fields.map(|(key, value)| (format!("{pointer}/{}", step(key)), value)),
                    );
                }
                (part, Value::Object(fields)) => {
                    next.extend(
                        fields
                            .get(part)
                            .map(|value| (format!("{pointer}/{part}"), value)),
                    );
                }
                _ => {}
            }
        }
        found = next;
    }
    let is_wrong = |value: &Value| match (wanted, value) {
        (_, Value::Null)
        | (Text, Value::String(_))
        | (Object, Value::Object(_))
        | (List, Value::Array(_)) => false,
        (Base64, Value::String(text)) => STANDARD.decode(text).is_err(),
        _ => true,
    };
    let what = match wanted {
        Text => "a string",
        Base64 => "base64",
        Object => "an object",
        List => "a list",
    };
    let wrong = found.into_iter().filter(|(_, value)| is_wrong(value));
    wrong.map(|(pointer, _)| (pointer, what)).collect()
}
