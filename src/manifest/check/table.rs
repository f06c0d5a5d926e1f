//! The rows of `table.yaml`. The tests of `rop generate manifests` ask an API server the same.

use serde_json::{Value, json};

/// A CRD, and what is said of it.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) crd: Value,
    /// What the message of the check has, if an API server refuses the CRD.
    pub(crate) refused: Option<String>,
}

pub(crate) fn rows() -> Vec<Row> {
    let rows: Vec<Value> = serde_yaml::from_str(include_str!("table.yaml")).expect("a table");
    rows.iter().map(row).collect()
}

fn row(row: &Value) -> Row {
    let part = |key: &str| row.get(key).cloned();
    let field = part("field").unwrap_or_else(|| json!({"type": "string"}));
    let mut root = json!({"type": "object", "properties": {
        "spec": {"type": "object", "properties": {"x": field}},
    }});
    merge(&mut root, part("root"));
    let schema = json!({"openAPIV3Schema": root});
    let mut version = json!({"name": "v1", "served": true, "storage": true, "schema": schema});
    merge(&mut version, part("version"));
    let mut crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "tests.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "tests", "kind": "Test"},
            "versions": [version],
        },
    });
    merge(&mut crd, part("crd"));
    let text = |key: &str| row[key].as_str().map(str::to_owned);
    Row {
        name: text("name").unwrap_or_default(),
        crd,
        refused: text("refused"),
    }
}

fn merge(value: &mut Value, patch: Option<Value>) {
    match (value, patch) {
        (_, None) => {}
        (Value::Object(fields), Some(Value::Object(patch))) => {
            for (key, patch) in patch {
                merge(fields.entry(key).or_insert(Value::Null), Some(patch));
            }
        }
        (value, Some(patch)) => *value = patch,
    }
}
