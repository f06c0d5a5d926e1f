//! Types of Kubernetes that CRDs have copies of.

use serde_json::Value;

use super::keywords::{admits_null, is_open, is_required};

/// A type of Kubernetes, or the project's form of it: a schema of the same fields is one of it. Its own schema stays
/// what the CRD says.
#[derive(Debug)]
pub(super) struct KnownType {
    /// The type.
    pub(super) name: &'static str,
    /// The fields and their types, in the order of their names.
    fields: &'static [(&'static str, FieldType)],
    /// Fields that are always written, which an object must have for that.
    required: &'static [&'static str],
}

#[derive(Clone, Copy, Debug)]
enum FieldType {
    String,
    Time,
    Integer,
    Strings,
    /// Each with the value of a label.
    Labels,
    /// With these fields, of which the second are always written.
    List(
        &'static [(&'static str, FieldType)],
        &'static [&'static str],
    ),
}

/// Those that read and write every object that such a schema allows. `ResourceRequirements` is none of them: its
/// quantities are strings, and a CRD allows integers.
const ALL: &[KnownType] = &[
    KnownType {
        name: "Condition",
        fields: &[
            ("lastTransitionTime", FieldType::Time),
            ("message", FieldType::String),
            ("observedGeneration", FieldType::Integer),
            ("reason", FieldType::String),
            ("status", FieldType::String),
            ("type", FieldType::String),
        ],
        required: &["lastTransitionTime", "message", "reason", "status", "type"],
    },
    KnownType {
        name: "LabelSelector",
        fields: &[
            (
                "matchExpressions",
                FieldType::List(
                    &[
                        ("key", FieldType::String),
                        ("operator", FieldType::String),
                        ("values", FieldType::Strings),
                    ],
                    &["key", "operator"],
                ),
            ),
            ("matchLabels", FieldType::Labels),
        ],
        required: &[],
    },
    KnownType {
        name: "ObjectReference",
        fields: &[
            ("apiVersion", FieldType::String),
            ("fieldPath", FieldType::String),
            ("kind", FieldType::String),
            ("name", FieldType::String),
            ("namespace", FieldType::String),
            ("resourceVersion", FieldType::String),
            ("uid", FieldType::String),
        ],
        required: &[],
    },
    KnownType {
        name: "Toleration",
        fields: &[
            ("effect", FieldType::String),
            ("key", FieldType::String),
            ("operator", FieldType::String),
            ("tolerationSeconds", FieldType::Integer),
            ("value", FieldType::String),
        ],
        required: &[],
    },
];

impl KnownType {
    /// The one that a schema is of.
    pub(super) fn find(schema: &Value) -> Option<&'static Self> {
        ALL.iter()
            .find(|known| has_fields(schema, known.fields, known.required))
    }
}

fn has_fields(schema: &Value, fields: &[(&str, FieldType)], required: &[&str]) -> bool {
    let properties = schema["properties"].as_object();
    !is_open(schema)
        && required.iter().all(|name| is_required(schema, name))
        && properties.is_some_and(|properties| {
            properties.len() == fields.len()
                && fields.iter().all(|(name, field)| {
                    let property = properties.get(*name);
                    property.is_some_and(|property| field.is(property))
                })
        })
}

impl FieldType {
    fn is(self, schema: &Value) -> bool {
        if admits_null(schema) {
            return false;
        }
        let (type_, format) = (schema["type"].as_str(), schema["format"].as_str());
        let is_strings = |schema: &Value| Self::String.is(schema);
        match self {
            Self::String => type_ == Some("string") && format.is_none(),
            Self::Time => type_ == Some("string") && format == Some("date-time"),
            Self::Integer => type_ == Some("integer") && format == Some("int64"),
            Self::Strings => type_ == Some("array") && is_strings(&schema["items"]),
            Self::Labels => type_ == Some("object") && is_strings(&schema["additionalProperties"]),
            Self::List(fields, required) => {
                let items = &schema["items"];
                type_ == Some("array") && !admits_null(items) && has_fields(items, fields, required)
            }
        }
    }
}
