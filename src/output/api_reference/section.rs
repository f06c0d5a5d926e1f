//! The objects of a schema, each with its fields.

use serde_json::Value;

use super::rules::{rules, type_name};

/// Fields that every object has, which say nothing of a kind.
const COMMON: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// An object of a schema.
#[derive(Debug)]
pub(super) struct Section<'a> {
    /// Where it is, such as `spec.containers[]`; empty for the kind itself.
    pub(super) path: String,
    pub(super) description: &'a str,
    /// What it demands as a whole.
    pub(super) rules: Vec<String>,
    pub(super) fields: Vec<Field<'a>>,
}

/// A field of an object.
#[derive(Debug)]
pub(super) struct Field<'a> {
    pub(super) name: &'a str,
    pub(super) description: &'a str,
    pub(super) demands: Demands,
    /// The path of its own section, if it, its items or its values have fields.
    pub(super) section: Option<String>,
}

/// What a schema demands of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Demands {
    pub(super) type_name: String,
    pub(super) is_required: bool,
    /// The default, as JSON.
    pub(super) default: Option<String>,
    pub(super) rules: Vec<String>,
}

impl<'a> Section<'a> {
    pub(super) fn path_of(&self, field: &Field<'_>) -> String {
        join(&self.path, field.name)
    }

    /// The objects of a version of a kind, each before those in it.
    pub(super) fn all(schema: &'a Value) -> Vec<Self> {
        let mut sections = Vec::new();
        add(String::new(), schema, &mut sections);
        sections
    }
}

fn add<'a>(path: String, schema: &'a Value, sections: &mut Vec<Section<'a>>) {
    let is_root = path.is_empty();
    let required = schema["required"].as_array();
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|it| it == name));
    let properties = schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| !(is_root && COMMON.contains(&name.as_str())));
    let (mut fields, mut objects) = (Vec::new(), Vec::new());
    for (name, schema) in properties {
        let object = object(join(&path, name), schema);
        fields.push(Field {
            name,
            description: schema["description"].as_str().unwrap_or_default(),
            demands: Demands {
                type_name: type_name(schema),
                is_required: is_required(name),
                default: schema.get("default").map(Value::to_string),
                rules: match &object {
                    // The section has them.
                    Some((_, object)) if std::ptr::eq(*object, schema) => Vec::new(),
                    _ => rules(schema),
                },
            },
            section: object.as_ref().map(|(path, _)| path.clone()),
        });
        objects.extend(object);
    }
    sections.push(Section {
        path,
        description: schema["description"].as_str().unwrap_or_default(),
        rules: rules(schema),
        fields,
    });
    for (path, schema) in objects {
        add(path, schema, sections);
    }
}

/// The schema with fields that a value, its items or its values have, with its path.
fn object(path: String, schema: &Value) -> Option<(String, &Value)> {
    let has_fields = schema["properties"].as_object();
    if has_fields.is_some_and(|fields| !fields.is_empty()) {
        return Some((path, schema));
    }
    let inner = [("items", "[]"), ("additionalProperties", ".*")];
    inner.into_iter().find_map(|(key, suffix)| {
        let schema = schema.get(key)?;
        object(format!("{path}{suffix}"), schema)
    })
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}
