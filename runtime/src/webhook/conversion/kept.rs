//! Annotations with the fields that another version cannot represent.

use serde_json::{Map, Value, json};

use crate::json;

/// The most that the keys and values of all annotations of an object may have in bytes
/// (`TotalAnnotationSizeLimitB` in `k8s.io/apimachinery/pkg/api/validation`).
const MOST: usize = 256 << 10;

/// The field of the annotation for what is no field of an object: no content has one of this name.
const ASIDE: &str = "metadata";

/// The fields that every object has, and that are not converted.
const IDENTITY: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// The fields of an object but for what every object has.
pub(super) type Content = Map<String, Value>;

/// What an object had in a version.
pub(super) struct Kept {
    pub(super) content: Content,
    /// What the round trip makes of it, if that is not to be had from the content alone.
    pub(super) usual: Option<Content>,
}

impl Kept {
    /// What an object has in this annotation. What cannot be read is as good as nothing.
    pub(super) fn of(object: &Value, annotation: &str) -> Option<Self> {
        let text = object["metadata"]["annotations"][annotation].as_str()?;
        let mut content: Content = json::from_str(text).ok()?;
        let usual = content.get(ASIDE).and_then(|aside| aside.get("usual"));
        let usual = usual.and_then(Value::as_object).cloned();
        content.retain(|name, _| !IDENTITY.contains(&&**name));
        Some(Self { content, usual })
    }

    /// Puts it into an annotation of an object. False, and it is not there, if there is no room.
    pub(super) fn put(self, object: &mut Value, annotation: &str) -> bool {
        let Self { mut content, usual } = self;
        if let Some(usual) = usual {
            content.insert(ASIDE.to_owned(), json!({ "usual": usual }));
        }
        // Equal objects are written alike.
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

/// The content of an object.
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

/// The fields that a content has and another one lacks, or has another value for. A field of a field is named alone.
pub(super) fn differing(content: &Content, other: &Content) -> Vec<String> {
    let mut differing = Vec::new();
    for (name, value) in content
        .iter()
        .filter(|(name, value)| other.get(*name) != Some(*value))
    {
        match (value, other.get(name)) {
            (Value::Object(fields), Some(Value::Object(others))) => {
                let fields = fields.iter();
                let fields = fields.filter(|(name, value)| others.get(*name) != Some(*value));
                differing.extend(fields.map(|(field, _)| format!("{name}.{field}")));
            }
            _ => differing.push(name.clone()),
        }
    }
    differing
}
