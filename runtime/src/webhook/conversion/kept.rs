//! Annotations with the fields that another version cannot represent.

use serde_json::{Map, Value, json};

use crate::json;

/// Maximum total size of all annotations of an object in bytes (`TotalAnnotationSizeLimitB` in
/// `k8s.io/apimachinery/pkg/api/validation`).
const MOST: usize = 256 << 10;

/// The field of the annotation for data that is not a field of the object. No content has a field of this name.
const ASIDE: &str = "metadata";

/// The fields of every object, which are not converted.
const IDENTITY: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// The fields of an object except for `apiVersion`, `kind` and `metadata`.
pub(super) type Content = Map<String, Value>;

/// The content of an object in a version.
pub(super) struct Kept {
    pub(super) content: Content,
    /// The result of a round trip of the content, if it cannot be computed from the content alone.
    pub(super) usual: Option<Content>,
}

impl Kept {
    /// Reads the annotation of an object. `None` if it cannot be read.
    pub(super) fn of(object: &Value, annotation: &str) -> Option<Self> {
        let text = object["metadata"]["annotations"][annotation].as_str()?;
        let mut content: Content = json::from_str(text).ok()?;
        let usual = content
            .get(ASIDE)
            .and_then(|aside| aside.get("usual"))
            .and_then(Value::as_object)
            .cloned();
        content.retain(|name, _| !IDENTITY.contains(&&**name));
        Some(Self { content, usual })
    }

    /// Writes the annotation of an object. Returns false, without writing it, if there is no room.
    pub(super) fn put(self, object: &mut Value, annotation: &str) -> bool {
        let Self { mut content, usual } = self;
        if let Some(usual) = usual {
            content.insert(ASIDE.to_owned(), json!({ "usual": usual }));
        }
        // Equal objects are written identically.
        let mut content = Value::Object(content);
        content.sort_all_objects();
        let annotations = &mut object["metadata"]["annotations"];
        if !annotations.is_object() {
            *annotations = json!({});
        }
        annotations[annotation] = json!(content.to_string());
        let all = annotations.as_object().into_iter().flatten();
        let bytes = all.map(|(name, value)| name.len() + value.as_str().map_or(0, str::len));
        let fits = bytes.sum::<usize>() <= MOST;
        if !fits {
            forget(object, annotation);
        }
        fits
    }
}

/// Removes an annotation.
pub(super) fn forget(object: &mut Value, annotation: &str) {
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else {
        return;
    };
    let Some(annotations) = metadata
        .get_mut("annotations")
        .and_then(Value::as_object_mut)
    else {
        return;
    };
    if annotations.remove(annotation).is_some() && annotations.is_empty() {
        metadata.remove("annotations");
    }
}

pub(super) fn content(object: &Value) -> Content {
    let fields = object.as_object().into_iter().flatten();
    let own = fields.filter(|(name, _)| !IDENTITY.contains(&&***name));
    own.map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Replaces the content of an object.
pub(super) fn set_content(object: &mut Value, content: Content) {
    if let Some(fields) = object.as_object_mut() {
        fields.retain(|name, _| IDENTITY.contains(&&**name));
        fields.extend(content);
    }
}

/// The fields that a content has, and that another one lacks or has with another value. Of nested fields, only the
/// innermost is listed.
pub(super) fn differing(content: &Content, other: &Content) -> Vec<String> {
    let mut differing = Vec::new();
    for (name, value) in content
        .iter()
        .filter(|(name, value)| other.get(*name) != Some(*value))
    {
        match (value, other.get(name)) {
            (Value::Object(fields), Some(Value::Object(others))) => {
                let fields = fields
                    .iter()
                    .filter(|(name, value)| others.get(*name) != Some(*value));
                differing.extend(fields.map(|(field, _)| format!("{name}.{field}")));
            }
            _ => differing.push(name.clone()),
        }
    }
    differing
}
