//! Whether a custom resource is as its CRD says.

use serde_json::Value;

use super::failure::FieldError;
use super::resource::Resource;

/// What is wrong with an object, given what it was before.
pub(super) fn check(resource: &Resource, object: &Value, old: Option<&Value>) -> Vec<FieldError> {
    if resource.is_builtin {
        return Vec::new();
    }
    super::structural::check(&resource.schema, object, old)
}
