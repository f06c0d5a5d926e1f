//! Finds differences between two objects.

use serde_json::Value;

/// A value that differs from the original.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lost {
    /// Its path: `spec.ports[].name`, or `spec.labels.*` in a map.
    pub(super) path: String,
    pub(super) was: Value,
    pub(super) is: Value,
}

/// The differences between two objects, except for `apiVersion`, `kind` and `metadata`.
pub(super) fn lost(schema: &Value, was: &Value, is: &Value) -> Vec<Lost> {
    let mut all = Vec::new();
    let content = |object: &Value| {
        let mut object = object.clone();
        if let Some(fields) = object.as_object_mut() {
            fields.retain(|name, _| !matches!(&**name, "apiVersion" | "kind" | "metadata"));
        }
        object
    };
    walk(schema, &content(was), &content(is), "", &mut all);
    all
}

/// Whether a declared path includes another path.
pub(super) fn covers(declared: &str, path: &str) -> bool {
    let rest = path.strip_prefix(declared);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

fn walk(schema: &Value, was: &Value, is: &Value, path: &str, all: &mut Vec<Lost>) {
    if was == is {
        return;
    }
    match (was, is) {
        (Value::Object(before), Value::Object(after)) => {
            let added = after.keys().filter(|name| !before.contains_key(*name));
            for name in before.keys().chain(added) {
                let (schema, step) = match &schema["properties"][name] {
                    Value::Null => (&schema["additionalProperties"], "*"),
                    known => (known, &**name),
                };
                let path = match path {
                    "" => step.to_owned(),
                    path => format!("{path}.{step}"),
                };
                walk(schema, &was[name], &is[name], &path, all);
            }
        }
        (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
            for (was, is) in before.iter().zip(after) {
                walk(&schema["items"], was, is, &format!("{path}[]"), all);
            }
        }
        (Value::Array(_), Value::Array(_)) => all.push(Lost {
            path: format!("{path}[]"),
            was: was.clone(),
            is: is.clone(),
        }),
        _ => all.push(Lost {
            path: path.to_owned(),
            was: was.clone(),
            is: is.clone(),
        }),
    }
}
