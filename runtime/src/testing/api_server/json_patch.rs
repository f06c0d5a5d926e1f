//! JSON patches, as lenient as the library of the API server: `test` treats a missing value as null.

use k8s_openapi::ByteString;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::failure::Failure;

/// Applies the patch of a request to an object.
pub(super) fn apply(object: &Value, patch: &Value) -> Result<Value, Failure> {
    let Value::Array(operations) = patch else {
        let text = "json: cannot unmarshal object into Go value of type jsonpatch.Patch";
        return Err(Failure::bad_request(text));
    };
    patched(object, operations).map_err(|_| {
        let text = "the server rejected our request due to an error in our request";
        Failure::new(422, "Invalid", text).with_details(Value::Object(Map::new()))
    })
}

/// Decodes the operations in the patch of a webhook: JSON in Base64.
///
/// # Errors
/// If it is neither.
pub(crate) fn operations(patch: &Value) -> Result<Vec<Value>, String> {
    let patch = ByteString::deserialize(patch).map_err(|error| error.to_string())?;
    serde_json::from_slice(&patch.0).map_err(|error| error.to_string())
}

/// Applies operations to an object.
///
/// # Errors
/// If an operation fails: which one, and why.
pub(crate) fn patched(object: &Value, operations: &[Value]) -> Result<Value, String> {
    let mut object = object.clone();
    for operation in operations {
        step(&mut object, operation).map_err(|why| {
            let text = |name: &str| operation[name].as_str().unwrap_or_default();
            format!(
                "error in {} for path: '{}': {why}",
                text("op"),
                text("path")
            )
        })?;
    }
    Ok(object)
}

fn step(object: &mut Value, operation: &Value) -> Result<(), String> {
    let text = |name: &str| operation[name].as_str().unwrap_or_default();
    let path = text("path");
    match text("op") {
        "test" => {
            let known = object.pointer(path).unwrap_or(&Value::Null);
            let expected = operation.get("value").unwrap_or(&Value::Null);
            if known == expected {
                Ok(())
            } else {
                Err(format!("testing value {path} failed: test failed"))
            }
        }
        "add" => add(
            object,
            path,
            operation.get("value").cloned().unwrap_or(Value::Null),
        ),
        "remove" => remove(object, path).map(|_| ()),
        "replace" => replace(
            object,
            path,
            operation.get("value").cloned().unwrap_or(Value::Null),
        ),
        "move" => {
            let value = remove(object, text("from"))?;
            add(object, path, value)
        }
        "copy" => {
            let (from, last) = parent(object, text("from"))?;
            let value = match from {
                Value::Array(items) => items.get(index(&last, items.len())?).cloned(),
                from => from.get(&last).cloned(),
            };
            add(object, path, value.unwrap_or(Value::Null))
        }
        other => Err(format!("Unexpected kind: {other}")),
    }
}

/// The parent of a path's value, and the last part of the path.
fn parent<'a>(object: &'a mut Value, path: &str) -> Result<(&'a mut Value, String), String> {
    let (parent, last) = path
        .rsplit_once('/')
        .ok_or_else(|| format!("bad path {path:?}"))?;
    let found = object
        .pointer_mut(parent)
        .ok_or_else(|| format!("operation does not apply: doc is missing path: {path:?}"))?;
    Ok((found, last.replace("~1", "/").replace("~0", "~")))
}

fn add(object: &mut Value, path: &str, value: Value) -> Result<(), String> {
    if path.is_empty() {
        *object = value;
        return Ok(());
    }
    match parent(object, path)? {
        (Value::Object(fields), last) => {
            fields.insert(last, value);
        }
        (Value::Array(items), last) if last == "-" => items.push(value),
        (Value::Array(items), last) => {
            let index = index(&last, items.len() + 1)?;
            items.insert(index, value);
        }
        _ => {
            return Err(format!(
                "add operation does not apply: doc is missing path: {path:?}"
            ));
        }
    }
    Ok(())
}

/// Sets the value at a path. Its parent must exist.
fn replace(object: &mut Value, path: &str, value: Value) -> Result<(), String> {
    match parent(object, path) {
        Ok((Value::Array(items), last)) => {
            let index = index(&last, items.len())?;
            items[index] = value;
            Ok(())
        }
        _ => add(object, path, value),
    }
}

fn remove(object: &mut Value, path: &str) -> Result<Value, String> {
    let missing = || format!("remove operation does not apply: doc is missing path: {path:?}");
    match parent(object, path)? {
        (Value::Object(fields), last) => fields.remove(&last).ok_or_else(missing),
        (Value::Array(items), last) => {
            let index = index(&last, items.len())?;
            Ok(items.remove(index))
        }
        _ => Err(missing()),
    }
}

/// The index of a list item. Negative ones count from the end.
fn index(text: &str, length: usize) -> Result<usize, String> {
    let index = text.parse::<i64>().map_err(|error| error.to_string())?;
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let index = if index < 0 { index + length } else { index };
    let is_inside = (0..length).contains(&index);
    let index = usize::try_from(index).ok().filter(|_| is_inside);
    index.ok_or_else(|| format!("Unable to access invalid index: {text}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_missing_is_null_to_a_test() {
        let object = json!({"metadata": {"name": "a"}});
        let patch = json!([
            {"op": "test", "path": "/metadata/finalizers", "value": null},
            {"op": "add", "path": "/metadata/finalizers", "value": ["x/y"]},
            {"op": "add", "path": "/metadata/finalizers/-", "value": "x/z"},
            {"op": "test", "path": "/metadata/finalizers/0", "value": "x/y"},
            {"op": "remove", "path": "/metadata/finalizers/0"},
        ]);
        let patched = apply(&object, &patch).expect("it applies");
        assert_eq!(patched["metadata"]["finalizers"], json!(["x/z"]));
        let failing = json!([{"op": "remove", "path": "/spec"}]);
        assert_eq!(
            apply(&object, &failing).expect_err("no such path").code,
            422
        );
    }
}
