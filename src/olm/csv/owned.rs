//! The kinds that the operator defines, as consoles show them.

use heck::ToTitleCase;
use serde_json::{Map, Value, json};

use crate::manifest::KindMarkers;
use crate::objects::{Objects, is_crd};

use super::descriptors::{self, first_sentence};
use super::{Permissions, Sources, resources};

/// `customresourcedefinitions`: fields in the base take precedence.
pub(super) fn definitions(
    written: Value,
    sources: &Sources<'_>,
    permissions: &Permissions,
) -> Value {
    let Sources {
        objects, markers, ..
    } = sources;
    let mut definitions = written.as_object().cloned().unwrap_or_default();
    let written = definitions
        .get_mut("owned")
        .map(Value::take)
        .unwrap_or_default()
        .as_array()
        .cloned()
        .unwrap_or_default();
    let of_all = resources::of(permissions.rules());
    let mut owned = Vec::new();
    for crd in objects.iter().filter(|object| is_crd(object)) {
        let of_kind = of_kind(crd, sources);
        let resources = of_kind.as_ref().unwrap_or(&of_all);
        for version in crd["spec"]["versions"].as_array().into_iter().flatten() {
            let mut entry = entry(crd, version, resources);
            let mut markers = markers.iter();
            let marked = markers.find(|it| {
                crd["spec"]["group"] == it.group
                    && entry["kind"] == it.kind
                    && entry["version"] == it.version
            });
            if let Some(marked) = marked {
                mark(&mut entry, marked, &version["schema"]["openAPIV3Schema"]);
            }
            let order = marked.and_then(|marked| marked.order).unwrap_or(u32::MAX);
            let of_user = written.iter().find(|other| {
                ["name", "version", "kind"]
                    .iter()
                    .all(|field| other[field] == entry[field])
            });
            let entry = match of_user {
                Some(of_user) => completed(of_user, entry),
                None => entry,
            };
            owned.push((order, entry));
        }
    }
    owned.sort_by_key(|(order, _)| *order);
    let owned: Vec<_> = owned.into_iter().map(|(_, entry)| entry).collect();
    definitions.insert("owned".to_owned(), owned.into());
    Value::Object(definitions)
}

/// What the operator makes for a kind; nothing if no marker says what it needs.
fn of_kind(crd: &Value, sources: &Sources<'_>) -> Option<Vec<Value>> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let spec = &crd["spec"];
    let key = (text(&spec["group"]), text(&spec["names"]["kind"]));
    let rules = sources.rules.get(&key);
    (!sources.rules.is_empty()).then(|| resources::of(rules.into_iter().flatten()))
}

/// The entries of the base that no CRD stands behind.
pub(in crate::olm) fn without_crd(base: &Map<String, Value>, objects: &Objects) -> Vec<String> {
    let owned = base
        .get("spec")
        .and_then(|spec| spec["customresourcedefinitions"]["owned"].as_array());
    let is_defined = |entry: &&Value| {
        let mut crds = objects.iter().filter(|object| is_crd(object));
        crds.any(|crd| {
            let mut versions = crd["spec"]["versions"].as_array().into_iter().flatten();
            entry["name"] == crd["metadata"]["name"]
                && entry["kind"] == crd["spec"]["names"]["kind"]
                && versions.any(|version| version["name"] == entry["version"])
        })
    };
    let entries = owned.into_iter().flatten().filter(|it| !is_defined(it));
    let shown = |entry: &Value| {
        let text = |field: &str| entry[field].as_str().unwrap_or_default();
        format!("`{} {} {}`", text("name"), text("version"), text("kind"))
    };
    entries.map(shown).collect()
}

fn entry(crd: &Value, version: &Value, resources: &[Value]) -> Value {
    let names = &crd["spec"]["names"];
    let kind = names["kind"].as_str().unwrap_or_default();
    let schema = &version["schema"]["openAPIV3Schema"];
    let own = json!({ "kind": kind, "name": "", "version": version["name"] });
    // A console shows what belongs to an object, which itself is the least of it.
    let resources = match resources {
        [] => vec![own],
        resources => resources.to_vec(),
    };
    let mut entry = json!({
        "description": first_sentence(schema),
        "displayName": kind.to_title_case(),
        "kind": kind,
        "name": crd["metadata"]["name"],
        "resources": resources,
        "specDescriptors": descriptors::of_spec(schema),
        "statusDescriptors": descriptors::of_status(schema),
        "version": version["name"],
    });
    if let Some(fields) = entry.as_object_mut() {
        fields.retain(|_, value| !(value.is_null() || *value == json!([])));
    }
    entry
}

/// Adds what the markers say.
fn mark(entry: &mut Value, markers: &KindMarkers, schema: &Value) {
    if let Some(name) = &markers.display_name {
        entry["displayName"] = name.clone().into();
    }
    if !markers.resources.is_empty() {
        let resources = markers.resources.iter();
        entry["resources"] = resources
            .map(|it| json!({ "kind": it.kind, "name": it.name, "version": it.version }))
            .collect();
    }
    for (field, part, marked) in [
        ("specDescriptors", "spec", &markers.spec),
        ("statusDescriptors", "status", &markers.status),
    ] {
        if !marked.is_empty() {
            let made = entry[field].as_array().cloned().unwrap_or_default();
            let schema = &schema["properties"][part];
            entry[field] = descriptors::marked(made, marked, schema).into();
        }
    }
}

/// What a person wrote, with what they left out. Descriptors are known by their paths.
fn completed(written: &Value, made: Value) -> Value {
    let mut fields = written.as_object().cloned().unwrap_or_default();
    for (field, value) in made.as_object().cloned().unwrap_or_default() {
        match fields.get_mut(&field) {
            Some(Value::Array(items)) if field.ends_with("Descriptors") => {
                complete_list(items, value.as_array());
            }
            Some(_) => {}
            None => drop(fields.insert(field, value)),
        }
    }
    Value::Object(fields)
}

fn complete_list(items: &mut Vec<Value>, made: Option<&Vec<Value>>) {
    for new in made.into_iter().flatten() {
        let found = items.iter_mut().find(|item| item["path"] == new["path"]);
        let fields: Map<String, Value> = new.as_object().cloned().unwrap_or_default();
        match found.and_then(Value::as_object_mut) {
            Some(item) => {
                for (field, value) in fields {
                    item.entry(field).or_insert(value);
                }
            }
            None => items.push(new.clone()),
        }
    }
}
