//! The versions of a CRD, as PROJECT has them.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::error::{Code, Error, Result};
use crate::project::{ProjectKind, Versioned};

/// What a line starts with that each version in a CRD of rop's has once.
const STORED: &str = "    storage: ";

/// Whether PROJECT says more of the versions of a kind than that there is one, or its CRD has more. What else its
/// types say of that one is theirs. A CRD is large: it is not parsed for this.
pub(super) fn has_several(crd: &str, kind: &ProjectKind) -> bool {
    let versions = crd.lines().filter(|line| line.starts_with(STORED));
    kind.spokes().next().is_some() || kind.hub().version.deprecated || versions.count() > 1
}

/// Brings the versions of a CRD in line with PROJECT, in the order that kube's `merge_crds` gives them.
pub(super) fn align(crd: &mut Value, kind: &ProjectKind) {
    let versions = crd["spec"]["versions"].as_array();
    let existing: Vec<Value> = versions.cloned().unwrap_or_default();
    let hub = kind.hub();
    let mut others: Vec<_> = kind.spokes().collect();
    others.reverse();
    let all = std::iter::once(hub).chain(others);
    let aligned = all.filter_map(|versioned| version(versioned, &existing));
    crd["spec"]["versions"] = aligned.collect();
    set_conversion(crd, kind);
}

/// A version: what is there of it, or of the newest one.
fn version(of: Versioned<'_>, existing: &[Value]) -> Option<Value> {
    let rank = |version: &Value| version["name"].as_str()?.parse().ok();
    let is_same = |version: &&Value| version["name"] == of.version.name.as_str();
    let newest = existing
        .iter()
        .max_by_key(|version| rank(version) as Option<crate::project::name::Version>);
    let mut version = existing.iter().find(is_same).or(newest)?.clone();
    version["name"] = json!(of.version.name.as_str());
    version["served"] = json!(of.version.served);
    version["storage"] = json!(of.is_hub());
    let fields = version.as_object_mut()?;
    set(
        fields,
        "deprecated",
        of.version.deprecated.then(|| json!(true)),
    );
    let warning = of.version.deprecation_warning.as_ref();
    set(
        fields,
        "deprecationWarning",
        warning.map(|warning| json!(warning)),
    );
    Some(version)
}

/// Has the API server ask the operator for conversions, if PROJECT says so.
pub(super) fn set_conversion(crd: &mut Value, kind: &ProjectKind) {
    let conversion = kind.is_converted().then(|| {
        json!({
            "strategy": "Webhook",
            "webhook": {
                "clientConfig": {
                    "service": {
                        "name": "webhook-service",
                        "namespace": "system",
                        "path": "/convert",
                    }
                },
                "conversionReviewVersions": ["v1"],
            },
        })
    });
    if let Some(spec) = crd["spec"].as_object_mut() {
        set(spec, "conversion", conversion);
    }
}

/// Sets a field, or removes it; the fields stay in the order of their names.
fn set(fields: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    match value {
        Some(value) => fields.insert(name.to_owned(), value),
        None => fields.remove(name),
    };
    let sorted: BTreeMap<String, Value> = std::mem::take(fields).into_iter().collect();
    fields.extend(sorted);
}

/// Checks that versions without a conversion differ in nothing: the API server changes the name of the version, and
/// drops what the other schema does not have.
pub(super) fn check(crd: &Value, kind: &ProjectKind) -> Result<()> {
    let hub = kind.hub();
    let schema = |of: Versioned<'_>| {
        let mut versions = crd["spec"]["versions"].as_array().into_iter().flatten();
        let version = versions.find(|version| version["name"] == of.version.name.as_str());
        let mut schema = version
            .map(|version| version["schema"].clone())
            .unwrap_or_default();
        without_texts(&mut schema);
        schema
    };
    let stored = schema(hub);
    let mut others = kind.spokes().filter(|_| !kind.is_converted());
    match others.find(|version| schema(*version) != stored) {
        None => Ok(()),
        Some(other) => Err(Error::new(
            Code::SchemasDiffer,
            format!(
                "{} and {} have different schemas but no conversion: the API server would prune \
            fields that exist in one version only",
                other.gvk(),
                hub.gvk()
            ),
        )
        .hint(format!(
            "add a conversion: `rop create webhook --group {} --kind {} --conversion --spoke {}`",
            kind.group, kind.name, other.version.name
        ))),
    }
}

/// Leaves out what only people read.
fn without_texts(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(without_texts),
        Value::Object(fields) => {
            // A property may be called so too.
            if fields.get("description").is_some_and(Value::is_string) {
                fields.remove("description");
            }
            fields.values_mut().for_each(without_texts);
        }
        _ => {}
    }
}
