//! What an API server accepts, and then drops of objects.

use serde_json::Value;

use super::problem::{Problem, Report};
use super::schema::{child, each, fields, is, is_set, list, text};

const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";

const OF_VALUES: &str = "if the values may be anything, add `#[schemars(extend(\"additionalProperties\" = \
    {\"x-kubernetes-preserve-unknown-fields\": true}))]`";

const OF_OBJECT: &str = "if it may hold anything, add \
    `#[schemars(extend(\"x-kubernetes-preserve-unknown-fields\" = true))]`, and if it is empty, \
    `#[schemars(extend(\"additionalProperties\" = false))]`";

/// The start of k8s-openapi's own descriptions of types that hold anything.
const OF_ANYTHING: [&str; 2] = [
    "RawExtension is used to hold extensions",
    "JSON represents any valid JSON value",
];

/// Fields whose type holds anything, and whose schema nothing.
pub(crate) fn lost(crd: &Value) -> Vec<Problem> {
    found(crd, &|schema| {
        if schema["additionalProperties"] == true && !is_set(&schema["properties"]) {
            return Some((
                "a map of values without a schema: the API server would prune fields in the values",
                OF_VALUES,
            ));
        }
        let description = text(&schema["description"]);
        let holds_anything = OF_ANYTHING
            .iter()
            .any(|start| description.starts_with(start));
        (holds_anything && is_bare(schema)).then_some((
            "an object without fields: the API server would prune all its fields",
            OF_OBJECT,
        ))
    })
}

/// Objects without fields, which may be on purpose.
pub(crate) fn empty_objects(crd: &Value) -> Vec<Problem> {
    found(crd, &|schema| {
        // Kubernetes' own, in the metadata of templates.
        let is_known = text(&schema["description"]).starts_with("FieldsV1 stores");
        (is_bare(schema) && !is_known).then_some((
            "an object without fields: the API server prunes all its fields",
            OF_OBJECT,
        ))
    })
}

/// Whether a schema is that of an object without fields.
fn is_bare(schema: &Value) -> bool {
    let says = ["properties", "x-kubernetes-embedded-resource", PRESERVE];
    schema["type"] == "object"
        && schema["additionalProperties"].is_null()
        && !says.iter().any(|key| is_set(&schema[key]))
}

/// What a fault is, and what to do about it.
type Loss = (&'static str, &'static str);

fn found(crd: &Value, fault: &dyn Fn(&Value) -> Option<Loss>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for version in list(&crd["spec"]["versions"]) {
        let mut report = Report::new(text(&version["name"]), &mut problems);
        let schema = &version["schema"]["openAPIV3Schema"];
        for (name, property) in
            fields(&schema["properties"]).filter(|(name, _)| *name != "metadata")
        {
            walk(property, &child("", name), fault, &mut report);
        }
    }
    problems
}

fn walk(
    schema: &Value,
    path: &str,
    fault: &dyn Fn(&Value) -> Option<Loss>,
    report: &mut Report<'_>,
) {
    if is(schema, PRESERVE) && !schema["additionalProperties"].is_boolean() {
        return;
    }
    if let Some((rule, hint)) = fault(schema) {
        report.refuse(path, rule).hint(hint);
    }
    for (name, property) in fields(&schema["properties"]) {
        walk(property, &child(path, name), fault, report);
    }
    for part in ["items", "additionalProperties"] {
        if schema[part].is_object() {
            walk(&schema[part], &each(path), fault, report);
        }
    }
}
