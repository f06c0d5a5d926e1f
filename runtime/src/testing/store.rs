//! The objects of the API server for tests.

use std::collections::BTreeMap;

use hyper::StatusCode;
use serde_json::{Value, json};

/// Every object, by path.
#[derive(Default)]
pub(super) struct Store {
    objects: BTreeMap<String, Value>,
    version: u64,
    /// Whether a finalizer was put on an object since this was last reset.
    pub(super) has_new_finalizer: bool,
}

impl Store {
    /// The objects of a collection, in one namespace or in all.
    pub(super) fn list(&self, collection: &str) -> Vec<&Value> {
        let (group, plural) = collection.rsplit_once('/').expect("a path");
        let (start, end) = (format!("{group}/"), format!("/{plural}"));
        let mut objects = self.objects.iter().collect::<Vec<_>>();
        objects.retain(|(path, _)| {
            let (collection, _) = path.rsplit_once('/').expect("a path");
            collection.starts_with(&start) && collection.ends_with(&end)
        });
        objects.into_iter().map(|(_, object)| object).collect()
    }

    pub(super) fn get(&self, path: &str) -> Result<Value, StatusCode> {
        self.objects.get(path).cloned().ok_or(StatusCode::NOT_FOUND)
    }

    pub(super) fn create(&mut self, collection: &str, object: Value) -> Result<Value, StatusCode> {
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        match format!("{collection}/{name}") {
            path if self.objects.contains_key(&path) => Err(StatusCode::CONFLICT),
            path => Ok(self.put(&path, object)),
        }
    }

    pub(super) fn remove(&mut self, path: &str) -> Result<Value, StatusCode> {
        self.objects.remove(path).ok_or(StatusCode::NOT_FOUND)
    }

    /// Applies a patch that has a field manager, and merges one that has none.
    pub(super) fn patch(
        &mut self,
        path: &str,
        query: &str,
        patch: &Value,
    ) -> Result<Value, StatusCode> {
        if let Value::Array(operations) = patch {
            return self.edit(path, operations);
        }
        let mut parameters = query.split('&');
        let manager = parameters.find_map(|pair| pair.strip_prefix("fieldManager="));
        if let Some(path) = path.strip_suffix("/status") {
            let mut object = self.get(path)?;
            merge(&mut object, &json!({ "status": patch["status"] }));
            return Ok(self.put(path, object));
        }
        let mut object = match self.objects.get(path) {
            Some(known) => {
                let (wanted, is) = (version(patch), version(known));
                if !wanted.is_null() && wanted != is {
                    return Err(StatusCode::CONFLICT);
                }
                known.clone()
            }
            None if manager.is_some() => Value::Null,
            None => return Err(StatusCode::NOT_FOUND),
        };
        merge(&mut object, patch);
        if let Some(manager) = manager {
            object["metadata"]["managedFields"] = json!([managed_fields(manager, patch)]);
        }
        Ok(self.put(path, object))
    }

    /// Applies a JSON patch. An object that is being deleted goes with its last finalizer.
    fn edit(&mut self, path: &str, operations: &[Value]) -> Result<Value, StatusCode> {
        let mut object = self.get(path)?;
        for operation in operations {
            apply(&mut object, operation).ok_or(StatusCode::UNPROCESSABLE_ENTITY)?;
            self.has_new_finalizer |= operation["op"] == "add";
        }
        let meta = &object["metadata"];
        let finalizers = meta["finalizers"].as_array();
        if meta["deletionTimestamp"].is_null() || finalizers.is_some_and(|list| !list.is_empty()) {
            return Ok(self.put(path, object));
        }
        self.objects.remove(path);
        Ok(object)
    }

    /// Stores an object. Where that changes it, it gets a new version.
    pub(super) fn put(&mut self, path: &str, mut object: Value) -> Value {
        let known = self.objects.get(path);
        if known == Some(&object) {
            return object;
        }
        self.version += 1;
        let has_new_spec = known.is_none_or(|known| known["spec"] != object["spec"]);
        let meta = &mut object["metadata"];
        if meta["uid"].is_null() {
            meta["uid"] = json!(format!("uid-{}", self.version));
        }
        let generation = meta["generation"].as_i64().unwrap_or(0);
        meta["generation"] = json!(generation + i64::from(has_new_spec));
        meta["resourceVersion"] = json!(self.version.to_string());
        if let Some((_, rest)) = path.split_once("/namespaces/")
            && let Some((namespace, _)) = rest.split_once('/')
        {
            meta["namespace"] = json!(namespace);
        }
        self.objects.insert(path.to_owned(), object.clone());
        object
    }
}

fn version(object: &Value) -> &Value {
    &object["metadata"]["resourceVersion"]
}

/// Applies an operation of a JSON patch, of those that change finalizers: `None` where it does not fit.
fn apply(object: &mut Value, operation: &Value) -> Option<()> {
    let (path, value) = (operation["path"].as_str()?, &operation["value"]);
    let (parent, last) = path.rsplit_once('/')?;
    match operation["op"].as_str()? {
        "test" => (object.pointer(path).unwrap_or(&Value::Null) == value).then_some(()),
        "add" => {
            match object.pointer_mut(parent)? {
                Value::Array(items) => items.push(value.clone()),
                parent => parent[last] = value.clone(),
            }
            Some(())
        }
        "remove" => {
            let items = object.pointer_mut(parent)?.as_array_mut()?;
            items.remove(last.parse().ok()?);
            Some(())
        }
        _ => None,
    }
}

fn merge(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
            into.retain(|_, value| !value.is_null());
        }
        (into, from) => into.clone_from(from),
    }
}

/// Which fields a manager owns: those that it has just applied.
fn managed_fields(manager: &str, applied: &Value) -> Value {
    let mut applied = applied.clone();
    let api_version = applied["apiVersion"].take();
    for (part, of_identity) in [
        ("", &["apiVersion", "kind"][..]),
        (
            "/metadata",
            &["name", "namespace", "resourceVersion", "uid"],
        ),
    ] {
        if let Some(Value::Object(part)) = applied.pointer_mut(part) {
            part.retain(|key, _| !of_identity.contains(&&**key));
        }
    }
    json!({
        "manager": manager,
        "operation": "Apply",
        "apiVersion": api_version,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields(&applied),
    })
}

fn fields(value: &Value) -> Value {
    let object = value.as_object().into_iter().flatten();
    object
        .map(|(key, value)| (format!("f:{key}"), fields(value)))
        .collect()
}
