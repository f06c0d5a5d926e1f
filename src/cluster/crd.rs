use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::error::Result;
use crate::kubectl::Kubectl;
use crate::objects::{self, ObjectId, Objects};

/// What is wrong with a CRD in the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// It is not there.
    Missing(String),
    /// It is not what the project has.
    Stale(String),
}

/// Compares the CRDs in the cluster with those of the project.
///
/// # Errors
/// They cannot be read.
pub fn mismatches(kubectl: &Kubectl, crds: &Objects) -> Result<Vec<Mismatch>> {
    let live = live(kubectl, crds)?;
    let mismatches = crds.iter().filter_map(|crd| {
        let id = ObjectId::of(crd);
        match objects::find(&live, &id) {
            None => Some(Mismatch::Missing(id.name)),
            Some(live) if !is_current(live, crd) => Some(Mismatch::Stale(id.name)),
            Some(_) => None,
        }
    });
    Ok(mismatches.collect())
}

/// Those of the CRDs that the cluster has.
///
/// # Errors
/// They cannot be read.
pub fn live(kubectl: &Kubectl, crds: &Objects) -> Result<Vec<Value>> {
    if crds.is_empty() {
        return Ok(Vec::new());
    }
    kubectl.live(&crds.to_list())
}

/// Whether a CRD in the cluster says what that of the project does. What the API server adds to one
/// does not count, nor does what is left out there and false or empty here.
fn is_current(live: &Value, crd: &Value) -> bool {
    let (live, crd) = (&live["spec"], &crd["spec"]);
    let names = |spec: &Value| {
        let names = plain(&spec["names"]);
        ["kind", "plural", "shortNames", "categories"].map(|key| names[key].clone())
    };
    let versions = |spec: &Value| {
        let versions = spec["versions"].as_array().into_iter().flatten();
        versions
            .map(|version| (version["name"].to_string(), plain(version)))
            .collect::<BTreeMap<_, _>>()
    };
    live["scope"] == crd["scope"] && names(live) == names(crd) && versions(live) == versions(crd)
}

/// A value without what means the same as nothing. The values that a field may have are kept as they
/// are.
fn plain(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().filter_map(|(key, value)| {
                let value = match &**key {
                    "default" | "enum" => value.clone(),
                    _ => Some(plain(value)).filter(|value| !is_nothing(value))?,
                };
                Some((key.clone(), value))
            });
            Value::Object(fields.collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.iter().map(plain).collect()),
        // Numbers are equal whether they are written 1 or 1.0.
        Value::Number(number) => number.as_f64().map_or(value.clone(), Value::from),
        value => value.clone(),
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn crd() -> Value {
        json!({"spec": {
            "scope": "Namespaced",
            "names": {"kind": "A", "plural": "as", "categories": []},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "additionalPrinterColumns": [],
                "schema": {"openAPIV3Schema": {"type": "object", "nullable": false, "properties": {
                    "a": {"type": "integer", "minimum": 0.0, "default": 0, "enum": ["", "b"]},
                }}},
            }],
        }})
    }

    #[test]
    fn what_the_server_adds_and_leaves_out_does_not_count() {
        let mut live = crd();
        live["spec"]["names"] =
            json!({"kind": "A", "plural": "as", "singular": "a", "listKind": "AList"});
        live["spec"]["conversion"] = json!({"strategy": "None"});
        let version = &mut live["spec"]["versions"][0];
        version
            .as_object_mut()
            .expect("a version")
            .remove("additionalPrinterColumns");
        let schema = &mut version["schema"]["openAPIV3Schema"];
        schema.as_object_mut().expect("a schema").remove("nullable");
        schema["properties"]["a"]["minimum"] = 0.into();
        assert!(is_current(&live, &crd()));
    }

    #[test]
    fn every_difference_that_counts_is_seen() {
        for (pointer, value) in [
            ("/spec/scope", json!("Cluster")),
            ("/spec/names/shortNames", json!(["x"])),
            ("/spec/versions/0/served", json!(false)),
            (
                "/spec/versions/0/schema/openAPIV3Schema/properties/a/minimum",
                json!(1),
            ),
            (
                "/spec/versions/0/schema/openAPIV3Schema/properties/a/default",
                json!(false),
            ),
            (
                "/spec/versions/0/schema/openAPIV3Schema/properties/a/enum",
                json!(["b"]),
            ),
            (
                "/spec/versions/0/schema/openAPIV3Schema/properties/b",
                json!({"type": "string"}),
            ),
            ("/spec/versions/1", json!({"name": "v2"})),
        ] {
            let mut live = crd();
            let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
            match live.pointer_mut(parent).expect(parent) {
                Value::Array(items) => items.push(value),
                parent => parent[key] = value,
            }
            assert!(!is_current(&live, &crd()), "{pointer}");
        }
    }
}
