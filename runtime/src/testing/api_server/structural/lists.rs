//! Lists of type `set` or `map`.

use serde_json::Value;

use super::below;
use crate::testing::api_server::failure::{FieldError, Wrong};
use crate::testing::api_server::schema::{ListType, Schema};

/// Validates that lists have no duplicates.
pub(super) fn lists(schema: &Schema, value: &Value, path: &str, errors: &mut Vec<FieldError>) {
    match value {
        Value::Array(items) => {
            let mut seen = Vec::new();
            for (index, item) in items.iter().enumerate() {
                let path = format!("{path}[{index}]");
                let key = match &schema.list {
                    ListType::Atomic => None,
                    ListType::Set => Some(item.clone()),
                    ListType::Map(keys) => Some(
                        keys.iter()
                            .map(|key| (key.clone(), item[key].clone()))
                            .collect(),
                    ),
                };
                if let Some(key) = key {
                    if seen.contains(&key) {
                        errors.push(FieldError::new(Wrong::Duplicate, &path, key.clone(), ""));
                    }
                    seen.push(key);
                }
                lists(schema.item(), item, &path, errors);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                if let Some(child) = schema.child(name).filter(|child| child.custom.is_some()) {
                    lists(child, value, &below(path, name), errors);
                }
            }
        }
        _ => {}
    }
}
