//! How a console shows the fields of a kind: known from the schema.

use std::collections::BTreeMap;

use heck::ToTitleCase;
use serde_json::{Map, Value, json};

use crate::manifest::Descriptor;

const UI: &str = "urn:alm:descriptor:com.tectonic.ui:";

/// The fields of the spec, by their paths.
pub(super) fn of_spec(schema: &Value) -> Vec<Value> {
    of(&schema["properties"]["spec"], |name, field| {
        of_name(name).or_else(|| of_type(field)).unwrap_or_default()
    })
}

/// The fields of the status, by their paths.
pub(super) fn of_status(schema: &Value) -> Vec<Value> {
    of(&schema["properties"]["status"], |name, _| match name {
        "conditions" => vec!["urn:alm:descriptor:io.kubernetes.conditions".to_owned()],
        "phase" => vec!["urn:alm:descriptor:io.kubernetes.phase".to_owned()],
        _ => Vec::new(),
    })
}

fn of(schema: &Value, shown: impl Fn(&str, &Value) -> Vec<String>) -> Vec<Value> {
    let properties = schema["properties"].as_object();
    let mut properties: Vec<_> = properties.into_iter().flatten().collect();
    properties.sort_by_key(|(name, _)| *name);
    let descriptor = |(name, field): (&String, &Value)| {
        let mut descriptor = Map::new();
        if let Some(description) = first_sentence(field) {
            descriptor.insert("description".to_owned(), description.into());
        }
        descriptor.insert("displayName".to_owned(), name.to_title_case().into());
        descriptor.insert("path".to_owned(), name.clone().into());
        let shown = shown(name, field);
        if !shown.is_empty() {
            descriptor.insert("x-descriptors".to_owned(), json!(shown));
        }
        Value::Object(descriptor)
    };
    properties.into_iter().map(descriptor).collect()
}

/// Descriptors with what markers say, in the order that they ask for; the others follow by their paths.
pub(super) fn marked(mut made: Vec<Value>, marked: &[Descriptor], schema: &Value) -> Vec<Value> {
    let mut orders = BTreeMap::new();
    for marker in marked {
        let index = made
            .iter()
            .position(|it| it["path"] == marker.path)
            .unwrap_or_else(|| {
                made.push(new(&marker.path, schema));
                made.len() - 1
            });
        let descriptor = &mut made[index];
        if let Some(name) = &marker.display_name {
            descriptor["displayName"] = name.clone().into();
        }
        if !marker.x_descriptors.is_empty() {
            descriptor["x-descriptors"] = marker.x_descriptors.clone().into();
        }
        orders.insert(marker.path.clone(), marker.order);
    }
    made.sort_by_cached_key(|descriptor| {
        let path = descriptor["path"].as_str().unwrap_or_default().to_owned();
        let order = orders.get(&path).copied().flatten();
        (order.unwrap_or(u32::MAX), path)
    });
    made
}

/// The descriptor of a field within another one, such as `ports[0].name`.
fn new(path: &str, schema: &Value) -> Value {
    let field = path.split('.').fold(schema, |schema, part| {
        let name = part.trim_end_matches("[0]");
        let items = part[name.len()..].matches("[0]").count();
        let field = &schema["properties"][name];
        (0..items).fold(field, |field, _| &field["items"])
    });
    let name = path.rsplit('.').next().unwrap_or(path);
    let mut descriptor = json!({ "displayName": name.to_title_case(), "path": path });
    if let Some(description) = first_sentence(field) {
        descriptor["description"] = description.into();
    }
    descriptor.sort_all_objects();
    descriptor
}

/// The first paragraph of a description, on one line.
pub(super) fn first_sentence(schema: &Value) -> Option<String> {
    let text = schema["description"].as_str()?;
    let paragraph = text.split("\n\n").next().unwrap_or(text);
    Some(paragraph.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// How a field of a name that says what it holds is shown.
fn of_name(name: &str) -> Option<Vec<String>> {
    let shown = match name {
        "replicas" => format!("{UI}podCount"),
        "resources" => format!("{UI}resourceRequirements"),
        "imagePullPolicy" => format!("{UI}imagePullPolicy"),
        "nodeAffinity" | "podAffinity" | "podAntiAffinity" => format!("{UI}{name}"),
        "password" => format!("{UI}password"),
        _ if name.ends_with("SecretName") || name == "secretName" => {
            "urn:alm:descriptor:io.kubernetes:Secret".to_owned()
        }
        _ if name.ends_with("ConfigMapName") || name == "configMapName" => {
            "urn:alm:descriptor:io.kubernetes:ConfigMap".to_owned()
        }
        _ => return None,
    };
    Some(vec![shown])
}

/// How a field of a type is shown.
fn of_type(field: &Value) -> Option<Vec<String>> {
    let choices = field["enum"].as_array();
    let choices: Vec<String> = choices
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(|choice| format!("{UI}select:{choice}"))
        .collect();
    if !choices.is_empty() {
        return Some(choices);
    }
    let shown = match field["type"].as_str()? {
        "boolean" => "booleanSwitch",
        "integer" | "number" => "number",
        "string" => "text",
        _ => return None,
    };
    Some(vec![format!("{UI}{shown}")])
}
