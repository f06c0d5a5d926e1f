//! Validates custom resources: first against the schema, then against its rules.

use kube_cel::{ValidationError, Validator};
use serde_json::Value;

use super::failure::{FieldError, Wrong};
use super::resource::Resource;
use crate::testing::rules::violated;

/// The message if the rules were not evaluated.
const UNCHECKED: &str = "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

thread_local! {
    /// Evaluates rules. It cannot be shared between threads.
    static VALIDATOR: Validator = Validator::new();
}

/// The errors of an object, and of its change if there is an old one.
pub(super) fn check(resource: &Resource, object: &Value, old: Option<&Value>) -> Vec<FieldError> {
    if resource.is_builtin {
        return Vec::new();
    }
    let mut errors = super::structural::check(&resource.schema, object, old);
    errors.extend(of_scale(resource, object));
    let Some(rules) = &resource.rules else {
        return errors;
    };
    let blocking = [
        Wrong::NotSupported,
        Wrong::Required,
        Wrong::TooLong,
        Wrong::TooMany,
        Wrong::Type,
    ];
    if errors.iter().any(|error| blocking.contains(&error.kind)) {
        errors.push(FieldError::invalid("<nil>", Value::Null, UNCHECKED));
        return errors;
    }
    let mut broken = VALIDATOR
        .with(|validator| violated(validator.validate_compiled(rules, object, old)))
        .iter()
        .map(|error| of_rule(error, object))
        .collect::<Vec<_>>();
    broken.sort_by(|left, right| left.field.cmp(&right.field));
    errors.extend(broken);
    errors
}

/// The replicas in `/scale` must be a number of at least 0.
fn of_scale(resource: &Resource, object: &Value) -> Option<FieldError> {
    let path = &resource.scale.as_ref()?.spec;
    let (number, detail) = match super::resource::at(object, path) {
        Value::Number(number) if number.as_i64().is_none_or(|number| number >= 0) => return None,
        Value::Number(number) => (
            number.as_i64(),
            "should be a non-negative integer".to_owned(),
        ),
        Value::String(text) => (
            Some(0),
            format!("{path} accessor error: {text} is of the type string, expected int64"),
        ),
        _ => return None,
    };
    Some(FieldError::invalid(path, number.into(), detail))
}

/// The error of a violated rule.
fn of_rule(error: &ValidationError, object: &Value) -> FieldError {
    let kind = match error.reason.as_deref() {
        Some("FieldValueRequired") => Wrong::Required,
        Some("FieldValueForbidden") => Wrong::Forbidden,
        Some("FieldValueDuplicate") => Wrong::Duplicate,
        _ => Wrong::Invalid,
    };
    let path = error.field_path.trim_start_matches('.');
    let path = if path.is_empty() { "<nil>" } else { path };
    let value = super::resource::at(object, path);
    let is_large = path == "<nil>" || value.is_object() || value.is_array();
    let kind = match kind {
        Wrong::Invalid if is_large => Wrong::OfObject,
        kind => kind,
    };
    FieldError::new(kind, path, value.clone(), error.message.clone())
}
