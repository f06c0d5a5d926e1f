//! Runs the user's conversion from JSON to JSON.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// Converts a whole object. Fails if it cannot be parsed.
pub(super) type Plain = fn(&Value) -> serde_json::Result<Value>;

/// The largest number up to which every integer has an exact float.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The result of `T::from` for an object, with the metadata of the original, whatever the conversion does to it, except
/// for changed labels and annotations.
pub(super) fn plain<F, T>(object: &Value) -> serde_json::Result<Value>
where
    F: Resource<DynamicType = ()> + DeserializeOwned,
    T: Resource<DynamicType = ()> + From<F> + Serialize + DeserializeOwned,
{
    let from = F::deserialize(object)?;
    let before = from.meta().clone();
    let mut to = T::from(from);
    let after = std::mem::take(to.meta_mut());
    let mut converted = written(&to)?;
    converted["apiVersion"] = json!(T::api_version(&()));
    converted["kind"] = json!(T::kind(&()));
    converted["metadata"] = metadata(&object["metadata"], before, after);
    Ok(converted)
}

/// An object as its type serializes it.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn written_as<K: Serialize + DeserializeOwned>(
    object: &Value,
) -> serde_json::Result<Value> {
    written(&K::deserialize(object)?)
}

/// An object in JSON as the API server would store it: numbers in Go's format, and no nulls for unset fields, unless
/// the type needs them.
fn written<T: Serialize + DeserializeOwned>(object: &T) -> serde_json::Result<Value> {
    let long = serde_json::to_value(object)?;
    if is_short(&long) {
        return Ok(long);
    }
    let short = shortened(&long);
    let again = T::deserialize(&short).and_then(serde_json::to_value);
    Ok(match again {
        Ok(again) if again == long => short,
        _ => long,
    })
}

fn is_short(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Object(fields) => fields.values().all(is_short),
        Value::Array(items) => items.iter().all(|item| item.is_null() || is_short(item)),
        Value::Number(number) => !number.is_f64(),
        _ => true,
    }
}

fn shortened(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let set = fields
                .iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| (name.clone(), shortened(value)));
            Value::Object(set.collect())
        }
        Value::Array(items) => items.iter().map(shortened).collect(),
        Value::Number(number) if number.is_f64() => match number.as_f64() {
            Some(float) if float.fract() == 0.0 && float.abs() < EXACT => {
                #[expect(clippy::cast_possible_truncation, reason = "it is whole and exact")]
                let whole = float as i64;
                json!(whole)
            }
            _ => value.clone(),
        },
        _ => value.clone(),
    }
}

/// The metadata of a converted object. A conversion that does not copy the metadata has not removed labels.
fn metadata(raw: &Value, mut before: ObjectMeta, mut after: ObjectMeta) -> Value {
    let mut raw = raw.as_object().cloned().unwrap_or_default();
    let maps = [
        ("labels", before.labels.take(), after.labels.take()),
        (
            "annotations",
            before.annotations.take(),
            after.annotations.take(),
        ),
    ];
    if before == after {
        for (name, before, after) in maps {
            if before != after {
                set(&mut raw, name, json!(after));
            }
        }
    }
    Value::Object(raw)
}

fn set(fields: &mut Map<String, Value>, name: &str, value: Value) {
    if value.is_null() {
        fields.remove(name);
    } else {
        fields.insert(name.to_owned(), value);
    }
}
