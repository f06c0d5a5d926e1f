//! The types of the fields of a CRD.

use serde_json::Value;

/// What is wrong in a CRD: where, and which rule says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// The path: `spec.names.plural`.
    pub(super) path: String,
    /// The rule as the end of a sentence that starts with the path.
    pub(super) rule: String,
}

impl Fault {
    pub(super) fn new(path: impl Into<String>, rule: impl Into<String>) -> Self {
        let (path, rule) = (path.into(), rule.into());
        Self { path, rule }
    }
}

/// What a value must be.
#[derive(Debug)]
enum Form {
    /// Anything.
    Any,
    Flag,
    Integer,
    List(&'static Form),
    Map(&'static Form),
    Number,
    Object(&'static [Field]),
    Schema,
    /// A schema, or a boolean.
    SchemaOrFlag,
    Text,
}

/// A field of an object: its name, what it must be, and whether it must be there.
#[derive(Debug)]
struct Field(&'static str, Form, bool);

const TEXTS: Form = Form::List(&Form::Text);
const SCHEMAS: Form = Form::List(&Form::Schema);
const FIELDS: Form = Form::Map(&Form::Schema);

/// The fields of a CRD that are read.
const CRD: &[Field] = &[
    Field("metadata", Form::Object(METADATA), true),
    Field("spec", Form::Object(SPEC), true),
];

const METADATA: &[Field] = &[
    Field("annotations", Form::Map(&Form::Text), false),
    Field("labels", Form::Map(&Form::Text), false),
    Field("name", Form::Text, true),
];

const SPEC: &[Field] = &[
    Field("conversion", Form::Object(CONVERSION), false),
    Field("group", Form::Text, true),
    Field("names", Form::Object(NAMES), true),
    Field("preserveUnknownFields", Form::Flag, false),
    Field("scope", Form::Text, true),
    Field("versions", Form::List(&Form::Object(VERSION)), true),
];

const CONVERSION: &[Field] = &[
    Field("strategy", Form::Text, true),
    Field("webhook", Form::Object(WEBHOOK), false),
];

const WEBHOOK: &[Field] = &[
    Field("clientConfig", Form::Object(CLIENT), false),
    Field("conversionReviewVersions", TEXTS, true),
];

const CLIENT: &[Field] = &[
    Field("caBundle", Form::Text, false),
    Field("service", Form::Object(SERVICE), false),
    Field("url", Form::Text, false),
];

const SERVICE: &[Field] = &[
    Field("name", Form::Text, true),
    Field("namespace", Form::Text, true),
    Field("path", Form::Text, false),
    Field("port", Form::Integer, false),
];

const NAMES: &[Field] = &[
    Field("categories", TEXTS, false),
    Field("kind", Form::Text, true),
    Field("listKind", Form::Text, false),
    Field("plural", Form::Text, true),
    Field("shortNames", TEXTS, false),
    Field("singular", Form::Text, false),
];

const VERSION: &[Field] = &[
    Field(
        "additionalPrinterColumns",
        Form::List(&Form::Object(COLUMN)),
        false,
    ),
    Field("deprecated", Form::Flag, false),
    Field("deprecationWarning", Form::Text, false),
    Field("name", Form::Text, true),
    Field("schema", Form::Object(VALIDATION), false),
    Field(
        "selectableFields",
        Form::List(&Form::Object(&[Field("jsonPath", Form::Text, true)])),
        false,
    ),
    Field("served", Form::Flag, false),
    Field("storage", Form::Flag, false),
    Field("subresources", Form::Object(SUBRESOURCES), false),
];

const VALIDATION: &[Field] = &[Field("openAPIV3Schema", Form::Schema, false)];

const COLUMN: &[Field] = &[
    Field("description", Form::Text, false),
    Field("format", Form::Text, false),
    Field("jsonPath", Form::Text, true),
    Field("name", Form::Text, true),
    Field("priority", Form::Integer, false),
    Field("type", Form::Text, true),
];

const SUBRESOURCES: &[Field] = &[
    Field("scale", Form::Object(SCALE), false),
    Field("status", Form::Object(&[]), false),
];

const SCALE: &[Field] = &[
    Field("labelSelectorPath", Form::Text, false),
    Field("specReplicasPath", Form::Text, true),
    Field("statusReplicasPath", Form::Text, true),
];

const KEYWORDS: &[Field] = &[
    Field("additionalProperties", Form::SchemaOrFlag, false),
    Field("allOf", SCHEMAS, false),
    Field("anyOf", SCHEMAS, false),
    Field("description", Form::Text, false),
    Field("enum", Form::List(&Form::Any), false),
    Field("exclusiveMaximum", Form::Flag, false),
    Field("exclusiveMinimum", Form::Flag, false),
    Field("externalDocs", Form::Object(&[]), false),
    Field("format", Form::Text, false),
    Field("items", Form::Schema, false),
    Field("maxItems", Form::Integer, false),
    Field("maxLength", Form::Integer, false),
    Field("maxProperties", Form::Integer, false),
    Field("maximum", Form::Number, false),
    Field("minItems", Form::Integer, false),
    Field("minLength", Form::Integer, false),
    Field("minProperties", Form::Integer, false),
    Field("minimum", Form::Number, false),
    Field("multipleOf", Form::Number, false),
    Field("not", Form::Schema, false),
    Field("nullable", Form::Flag, false),
    Field("oneOf", SCHEMAS, false),
    Field("pattern", Form::Text, false),
    Field("properties", FIELDS, false),
    Field("required", TEXTS, false),
    Field("title", Form::Text, false),
    Field("type", Form::Text, false),
    Field("uniqueItems", Form::Flag, false),
    Field("x-kubernetes-embedded-resource", Form::Flag, false),
    Field("x-kubernetes-int-or-string", Form::Flag, false),
    Field("x-kubernetes-list-map-keys", TEXTS, false),
    Field("x-kubernetes-list-type", Form::Text, false),
    Field("x-kubernetes-map-type", Form::Text, false),
    Field("x-kubernetes-preserve-unknown-fields", Form::Flag, false),
    Field(
        "x-kubernetes-validations",
        Form::List(&Form::Object(RULE)),
        false,
    ),
];

const RULE: &[Field] = &[
    Field("fieldPath", Form::Text, false),
    Field("message", Form::Text, false),
    Field("messageExpression", Form::Text, false),
    Field("optionalOldSelf", Form::Flag, false),
    Field("reason", Form::Text, false),
    Field("rule", Form::Text, true),
];

/// Checks the types of a CRD's fields. A field that is null is one that is absent, and is removed.
pub(super) fn check(crd: &mut Value) -> Result<(), Fault> {
    Form::Object(CRD).check(crd, "")
}

impl Form {
    fn check(&self, value: &mut Value, path: &str) -> Result<(), Fault> {
        let fault = |value: &Value| Fault::new(path, self.rule(value));
        match (self, value) {
            (Self::Any, _)
            | (Self::Flag | Self::SchemaOrFlag, Value::Bool(_))
            | (Self::Number, Value::Number(_))
            | (Self::Text, Value::String(_)) => Ok(()),
            (Self::Integer, Value::Number(number)) if number.is_i64() => Ok(()),
            (Self::List(form), Value::Array(items)) => {
                let mut items = items.iter_mut().enumerate();
                items.try_for_each(|(index, item)| form.check(item, &format!("{path}[{index}]")))
            }
            (Self::Map(form), Value::Object(entries)) => {
                if matches!(form, Self::Text) {
                    entries.retain(|_, value| !value.is_null());
                }
                let mut entries = entries.iter_mut();
                entries.try_for_each(|(name, value)| form.check(value, &at(path, name)))
            }
            (Self::Schema | Self::SchemaOrFlag, value @ Value::Object(_)) => {
                Self::Object(KEYWORDS).check(value, path)
            }
            (Self::Object(fields), Value::Object(object)) => {
                for Field(name, form, is_required) in *fields {
                    if form.may_be_absent() && object.get(*name) == Some(&Value::Null) {
                        object.shift_remove(*name);
                    }
                    match object.get_mut(*name) {
                        Some(value) => form.check(value, &at(path, name))?,
                        None if *is_required => {
                            return Err(Fault::new(at(path, name), "is missing"));
                        }
                        None => {}
                    }
                }
                Ok(())
            }
            (_, value) => Err(fault(value)),
        }
    }

    fn may_be_absent(&self) -> bool {
        !matches!(self, Self::Any)
    }

    fn rule(&self, value: &Value) -> String {
        let expected = match self {
            Self::Any => "a value",
            Self::Flag => "a boolean",
            Self::Integer => "an integer",
            Self::List(_) => "a list",
            Self::Map(_) | Self::Object(_) | Self::Schema => "an object",
            Self::Number => "a number",
            Self::SchemaOrFlag => "an object or a boolean",
            Self::Text => "a string",
        };
        let string = if value.is_string() { "the string " } else { "" };
        format!("must be {expected}, but is {string}{}", shown(value))
    }
}

/// A path one level deeper.
pub(super) fn at(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}

/// A value, or what sort of value it is if that is shorter.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) if text.len() > 80 => "a long string".to_owned(),
        Value::String(text) if is_plain(text) => format!("`{text}`"),
        value => format!("`{value}`"),
    }
}

fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic())
}
