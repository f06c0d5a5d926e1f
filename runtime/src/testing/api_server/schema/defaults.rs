//! Sets the defaults of a schema.

use serde_json::Value;

use super::Schema;

/// Sets the default of each field that is missing, or null without being nullable, and removes other such nulls.
pub(crate) fn fill(schema: &Schema, value: &mut Value) {
    walk(schema, value, true);
}

/// Like [`fill`], but keeps nulls: an apply is not decoded again.
pub(crate) fn fill_applied(schema: &Schema, value: &mut Value) {
    walk(schema, value, false);
}

fn walk(schema: &Schema, value: &mut Value, drops_nulls: bool) {
    match value {
        Value::Object(fields) => {
            for (name, field) in &schema.fields {
                let Some(default) = &field.default else {
                    continue;
                };
                let is_missing = match fields.get(name) {
                    Some(Value::Null) => !is_nullable(&field.schema),
                    known => known.is_none(),
                };
                if is_missing {
                    fields.insert(name.clone(), default.clone());
                }
            }
            fields.retain(|name, value| {
                let Some(child) = schema.child(name) else {
                    return true;
                };
                // A null that is not nullable counts as missing.
                if value.is_null() && schema.custom.is_some() {
                    return !drops_nulls || is_nullable(child);
                }
                walk(child, value, drops_nulls);
                true
            });
        }
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| walk(schema.item(), item, drops_nulls)),
        _ => {}
    }
}

fn is_nullable(schema: &Schema) -> bool {
    let custom = schema.custom.as_ref();
    custom.is_none_or(|custom| custom.is_nullable)
}
