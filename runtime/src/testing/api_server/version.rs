//! An object in the version of the resource that is asked for.

use serde_json::{Value, json};

use super::resource::Resource;

/// The object in the version of the resource. Versions differ by nothing but their name.
pub(super) fn to(resource: &Resource, object: &Value) -> Value {
    let mut object = object.clone();
    let api_version = resource.api_version();
    if object["apiVersion"] != *api_version {
        object["apiVersion"] = json!(api_version);
    }
    object
}

/// The same in a list: the items of a list of a built-in kind do not say what they are.
pub(super) fn to_item(resource: &Resource, object: &Value) -> Value {
    let mut object = to(resource, object);
    if resource.is_builtin
        && let Some(fields) = object.as_object_mut()
    {
        fields.remove("apiVersion");
        fields.remove("kind");
    }
    object
}
