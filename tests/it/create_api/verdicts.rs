//! What rop says of CRDs is what an API server says.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::World;
use crate::support::control_plane::ControlPlane;

const VERDICTS: &str = include_str!("../../../src/external/reading/verdicts.json");

#[test]
fn an_api_server_takes_and_rejects_the_same() {
    let Some(plane) = ControlPlane::new() else {
        return;
    };
    let verdicts: Vec<Value> = serde_json::from_str(VERDICTS).expect("JSON");
    let items: Vec<Value> = verdicts.iter().enumerate().map(changed).collect();
    let world = World::new();
    let list = json!({ "apiVersion": "v1", "kind": "List", "items": items });
    world.write("crds.json", &list.to_string());
    let file = world.path().join("crds.json");
    let file = file.to_str().expect("UTF-8");
    let create = [
        "create",
        "--dry-run=server",
        "--validate=false",
        "--output=name",
        "--filename",
        file,
    ];
    let output = plane.kubectl(&create);
    let output = String::from_utf8_lossy(&output.stdout);
    let taken: BTreeSet<&str> = output
        .lines()
        .filter_map(|line| line.rsplit('/').next())
        .collect();
    for (index, verdict) in verdicts.iter().enumerate() {
        let name = format!("case{index}s.example.org");
        assert_eq!(
            taken.contains(&*name),
            verdict["taken"] == true,
            "{verdict}"
        );
    }
}

/// A CRD of a name of its own, with the changes of a verdict.
fn changed((index, verdict): (usize, &Value)) -> Value {
    let kind = format!("Case{index}");
    let field = json!({ "type": "object", "properties": { "f": { "type": "string" } } });
    let schema = json!({ "type": "object", "properties": { "spec": field } });
    let mut crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("case{index}s.example.org") },
        "spec": {
            "group": "example.org",
            "names": { "kind": kind, "plural": format!("case{index}s") },
            "scope": "Namespaced",
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": schema },
            }],
        },
    });
    for (path, value) in verdict["set"].as_object().expect("changes") {
        let value = match value.as_str() {
            Some("KIND") => json!(kind),
            _ => value.clone(),
        };
        let (parent, key) = path.rsplit_once('/').expect("a path");
        match crd.pointer_mut(parent).expect(path) {
            Value::Array(items) if key == "1" => items.push(value),
            Value::Array(items) => items[0] = value,
            parent => parent[key] = value,
        }
    }
    crd
}
