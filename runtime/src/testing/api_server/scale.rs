//! The subresource `/scale`.

use serde_json::{Value, json};

use super::failure::Failure;
use super::managed::Managed;
use super::request::ResourceRequest;
use super::resource::{Resource, at};
use super::state::State;
use super::store::key;
use super::strategy;

/// The scale of an object.
pub(super) fn of(resource: &Resource, object: &Value) -> Value {
    let mut scale = json!({ "kind": "Scale", "apiVersion": "autoscaling/v1" });
    let metadata = &object["metadata"];
    for field in [
        "name",
        "namespace",
        "uid",
        "resourceVersion",
        "creationTimestamp",
    ] {
        if !metadata[field].is_null() {
            scale["metadata"][field] = metadata[field].clone();
        }
    }
    let Some(paths) = &resource.scale else {
        return scale;
    };
    let replicas = |path: &str| at(object, path).as_i64().unwrap_or(0);
    scale["spec"] = match replicas(&paths.spec) {
        0 => json!({}),
        replicas => json!({ "replicas": replicas }),
    };
    scale["status"] = json!({ "replicas": replicas(&paths.status) });
    let selector = paths.selector.as_ref().map(|path| at(object, path));
    let selector = match selector {
        Some(Value::String(text)) => text.clone(),
        Some(selector) if resource.is_builtin => labels(selector),
        _ => String::new(),
    };
    if !selector.is_empty() {
        scale["status"]["selector"] = json!(selector);
    }
    scale
}

/// A label selector as text.
fn labels(selector: &Value) -> String {
    let mut labels = selector["matchLabels"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| format!("{name}={}", value.as_str().unwrap_or_default()))
        .collect::<Vec<_>>();
    labels.sort();
    labels.join(",")
}

impl State {
    /// Scales an object.
    pub(super) fn set_scale(
        &mut self,
        request: &ResourceRequest,
        scale: &Value,
    ) -> Result<Value, Failure> {
        let resource = &request.resource;
        let live = self
            .store
            .get(&resource.storage(), &key(&request.namespace, &request.name))
            .cloned()
            .ok_or_else(|| Failure::not_found(resource.id(), &request.name))?;
        let Some(paths) = &resource.scale else {
            return Err(Failure::not_found(resource.id(), &request.name));
        };
        let given = &scale["metadata"]["resourceVersion"];
        if !given.is_null() && *given != live["metadata"]["resourceVersion"] {
            return Err(Failure::outdated(resource.id(), &request.name));
        }
        let live = self.to(resource, &live)?;
        let mut object = (*live).clone();
        let replicas = scale["spec"]["replicas"].as_i64().unwrap_or(0);
        let names = paths.spec.split('.').filter(|name| !name.is_empty());
        *names.fold(&mut object, |value, name| &mut value[name]) = json!(replicas);
        let mut managed = Managed::of(&live).unwrap_or_default();
        self.manage(
            request,
            &mut managed,
            &live,
            &mut object,
            &strategy::reset(resource, ""),
        );
        let mut of_object = request.clone();
        of_object.subresource = String::new();
        of_object.is_of_scale = true;
        let written = self.replace(&of_object, &live, object)?;
        Ok(of(resource, &written))
    }
}
