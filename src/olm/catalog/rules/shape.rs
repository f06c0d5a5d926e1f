//! The types of fields: opm reads blobs into structs of Go.

use std::collections::HashMap;

use serde_json::Value;

use crate::olm::base64;

use super::super::blob::{BUNDLE, Blob, CHANNEL, DEPRECATIONS, PACKAGE};
use super::super::finding::Finding;
use super::Rule;

/// What a field holds, if it is set.
#[derive(Clone, Copy)]
pub(super) enum Type {
    Text,
    Flag,
    Base64,
    Object,
    List,
}

use Type::{Base64, Flag, List, Object, Text};

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

/// What opm reads of a blob of any other schema.
const COMMON: &[(&str, Type)] = &[("name", Text), ("package", Text)];

/// Reports each document of a file that has only blanks and comments, or is null: opm reads a blob from each part
/// between two lines that begin with `---`, and from a part before the first.
pub(super) fn blank(file: &str, text: &str, findings: &mut Vec<Finding>) {
    let mut rest = text;
    let mut line = 1;
    loop {
        let end = rest.find("\n---").unwrap_or(rest.len());
        let part = &rest[..end];
        let mut words = part.lines().map(|line| {
            let line = line.strip_prefix("---").unwrap_or(line);
            line.split('#').next().unwrap_or_default().trim()
        });
        if !part.is_empty() && words.all(|word| ["", "~", "null", "Null", "NULL"].contains(&word)) {
            let message = "the document has no content but comments: opm reads a blob without `schema` from it";
            findings.push(Finding::in_file(Rule::SchemaMissing, file, line, message));
        }
        // The rest of the line with `---` belongs to neither.
        let Some(next) = rest[end..].get(1..).and_then(|next| next.find('\n')) else {
            return;
        };
        let start = end + 1 + next + 1;
        line += rest[..start].matches('\n').count();
        rest = &rest[start..];
    }
}

/// Reports the fields of a blob that differ only in case, which opm takes for one field.
fn same(blob: &Blob, findings: &mut Vec<Finding>) {
    let fields = blob.value().as_object();
    let mut known = HashMap::new();
    for name in fields.into_iter().flat_map(|fields| fields.keys()) {
        if let Some(other) = known.insert(name.to_lowercase(), name) {
            let message = format!("the field is set twice: opm reads `{other}` as the same");
            let pointer = format!("/{}", step(name));
            findings.push(Finding::in_blob(Rule::FieldType, blob, &pointer, message));
        }
    }
}

/// A key as a part of a JSON pointer.
fn step(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

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
    same(blob, findings);
    let mut wrong = Vec::new();
    if !blob.value()["schema"].is_string() {
        wrong.push(("/schema".to_owned(), "a string"));
    }
    let fields = FIELDS.iter().find(|(schema, _)| *schema == blob.schema());
    for (path, wanted) in fields.map_or(COMMON, |(_, fields)| fields) {
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
        | (Flag, Value::Bool(_))
        | (Object, Value::Object(_))
        | (List, Value::Array(_)) => false,
        (Base64, value) => !base64::is_bytes(value),
        _ => true,
    };
    let what = match wanted {
        Text => "a string",
        Flag => "a boolean",
        Base64 => "base64",
        Object => "an object",
        List => "a list",
    };
    let wrong = found.into_iter().filter(|(_, value)| is_wrong(value));
    wrong.map(|(pointer, _)| (pointer, what)).collect()
}
