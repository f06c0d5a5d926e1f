//! A CRD with odd names and texts in all places, as an API server takes it.

use serde_json::{Map, Value, json};

/// What breaks out of where it is put, what Rust does not let stand there, and names that are taken.
const TEXTS: &[&str] = &[
    "x\n#[allow(dead_code)]\npub fn injected() {}\n/// y",
    "a\rpub fn injected() {}\r\n",
    "\"; fn injected() {} //",
    "\"# ))] fn injected() {} r#\"",
    "*/ fn injected() {} /*",
    "\\\"\\",
    "`'$ {is injected}",
    "//! #![is injected]",
    "\t\u{1}\u{1b}[31m",
    "\u{202e}a\u{2066}b\u{2069}",
    "a\u{2028}b\u{2029}c",
    "d\u{200b}\u{ad}\u{2060}e",
    "größe",
    "gro\u{308}ße",
    "ähnlich",
    "名前",
    "🦀",
    "1st",
    "-",
    "__",
    "self",
    "Self",
    "SELF",
    "type_",
    "Type",
    "object",
    "Metadata",
    "serializer",
    "Value",
    "Time",
    "Condition",
    "Toleration",
    "IntOrString",
    "BTreeMap",
    "JsonSchema",
    "Schema",
    "Option",
    "IPv6",
    "tls",
];

pub(super) fn crd() -> Value {
    let words: Vec<&str> = TEXTS.iter().chain(&TEXTS[..3]).copied().collect();
    let property = |(index, text): (usize, &&str)| {
        let described = json!({ "type": "string", "description": text, "default": text });
        let schema = match index % 5 {
            0 => described,
            1 => json!({ "type": "object", "properties": { *text: described } }),
            2 => json!({ "type": "array", "items": { "type": "object", "properties": {
                *text: { "type": "integer", "maximum": u64::MAX, "minimum": i64::MIN },
            } } }),
            3 => json!({ "type": "object", "additionalProperties": {
                "type": "string", "pattern": regex::escape(text),
            } }),
            _ => json!({ "type": "string", "enum": words, "title": text }),
        };
        ((*text).to_owned(), schema)
    };
    let properties: Map<String, Value> = TEXTS.iter().enumerate().map(property).collect();
    let mut root = properties.clone();
    root.insert(
        "spec".to_owned(),
        json!({
            "type": "object",
            "description": TEXTS.join("\n"),
            "required": TEXTS,
            "properties": properties,
            "x-kubernetes-validations": [{ "rule": "true", "message": TEXTS.join(" ") }],
        }),
    );
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "apis.xn--bcher-kva.example.org" },
        "spec": {
            "group": "xn--bcher-kva.example.org",
            "names": { "kind": "Api", "plural": "apis" },
            "scope": "Namespaced",
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "deprecated": true,
                "deprecationWarning": "\"; fn injected() {} //",
                "schema": { "openAPIV3Schema": { "type": "object", "properties": root } },
            }],
        },
    })
}

/// An object with every field.
pub(super) fn object() -> Value {
    let field = |(index, text): (usize, &&str)| {
        let value = match index % 5 {
            0 | 4 => json!(text),
            2 => json!([{ *text: index }]),
            _ => json!({ *text: text }),
        };
        ((*text).to_owned(), value)
    };
    let fields: Map<String, Value> = TEXTS.iter().enumerate().map(field).collect();
    let mut object = fields.clone();
    object.insert("spec".to_owned(), fields.into());
    object.insert(
        "apiVersion".to_owned(),
        json!("xn--bcher-kva.example.org/v1"),
    );
    object.insert("kind".to_owned(), json!("Api"));
    object.insert("metadata".to_owned(), json!({ "name": "odd" }));
    object.into()
}
