//! Changes objects at random within their schema; the API server may still reject a change.

use fastrand::Rng;
use serde_json::{Map, Value, json};

/// No list with more items is made.
const MOST_ITEMS: usize = 100;

/// Changes one value within `value`.
pub(crate) fn mutate(value: &mut Value, schema: &Value, rng: &mut Rng) {
    match value {
        Value::Object(fields) if schema["properties"].is_object() => {
            mutate_fields(fields, schema, rng);
        }
        Value::Object(fields) if schema["additionalProperties"].is_object() => {
            mutate_entries(fields, &schema["additionalProperties"], rng);
        }
        Value::Array(items) => {
            let least = length(schema, "minItems", 0);
            if items.len() > least && rng.u8(..4) == 0 {
                items.remove(rng.usize(..items.len()));
            } else if let Some(item) = rng.choice(items.iter_mut()) {
                mutate(item, &schema["items"], rng);
            }
        }
        _ => {
            if let Some(other) = scalar(value, schema, rng) {
                *value = other;
            }
        }
    }
}

fn mutate_fields(fields: &mut Map<String, Value>, schema: &Value, rng: &mut Rng) {
    let Some(known) = schema["properties"].as_object() else {
        return;
    };
    // Of objects that the operator makes from a template: nobody would remove them.
    let names = known.keys().filter(|name| *name != "finalizers");
    let names: Vec<&String> = names.collect();
    let Some(name) = rng.choice(names.iter()) else {
        return;
    };
    let schema_of = &known[*name];
    let required = schema["required"].as_array();
    let is_required =
        required.is_some_and(|list| list.iter().any(|required| required.as_str() == Some(name)));
    match fields.get_mut(*name) {
        Some(_) if !is_required && rng.u8(..4) == 0 => {
            fields.remove(*name);
        }
        Some(field) => mutate(field, schema_of, rng),
        None => {
            if let Some(created) = make(schema_of, rng, 3) {
                fields.insert((*name).clone(), created);
            }
        }
    }
}

fn mutate_entries(fields: &mut Map<String, Value>, schema: &Value, rng: &mut Rng) {
    let names: Vec<String> = fields.keys().cloned().collect();
    match rng.choice(names.iter()) {
        Some(name) if rng.bool() => {
            if rng.bool() {
                fields.remove(name);
            } else {
                mutate(&mut fields[name], schema, rng);
            }
        }
        _ => {
            if let Some(created) = make(schema, rng, 2) {
                fields.insert(word(rng), created);
            }
        }
    }
}

/// A different value for a scalar.
fn scalar(value: &Value, schema: &Value, rng: &mut Rng) -> Option<Value> {
    if schema["enum"].is_array() || value.is_null() {
        return make(schema, rng, 0);
    }
    match value {
        Value::Bool(is_so) => Some(json!(!is_so)),
        Value::Number(number) => {
            let (least, most) = bounds(schema);
            let number = number.as_i64()?;
            let near = [
                number.saturating_sub(1),
                number.saturating_add(1),
                least,
                most.min(least.saturating_add(10)),
            ];
            rng.choice(near)
                .map(|other| json!(other.clamp(least, most)))
        }
        // The current value is the only one that is known to match its pattern.
        Value::String(text) if schema["pattern"].is_string() || schema["format"].is_string() => {
            let shorter = text.strip_suffix('x').map(str::to_owned);
            Some(json!(shorter.unwrap_or_else(|| format!("{text}x"))))
        }
        Value::String(_) => Some(json!(word(rng))),
        _ => None,
    }
}

/// A value that matches a schema, if it is easy to construct.
pub(super) fn make(schema: &Value, rng: &mut Rng, depth: u8) -> Option<Value> {
    if let Some(allowed) = schema["enum"].as_array() {
        return rng
            .choice(allowed.iter())
            .filter(|value| !value.is_null())
            .cloned();
    }
    match schema["type"].as_str()? {
        "boolean" => Some(json!(rng.bool())),
        "integer" | "number" => {
            let (least, most) = bounds(schema);
            Some(json!(rng.i64(least..=most.min(least.saturating_add(10)))))
        }
        "string" if schema["pattern"].is_string() || schema["format"].is_string() => None,
        "string" => Some(json!(word(rng))),
        "array" => {
            let least = length(schema, "minItems", rng.usize(..2));
            if least > MOST_ITEMS {
                return None;
            }
            let items: Option<Vec<_>> = (0..least)
                .map(|_| make(&schema["items"], rng, depth.checked_sub(1)?))
                .collect();
            items.map(Value::Array)
        }
        "object" => {
            let depth = depth.checked_sub(1)?;
            let mut fields = Map::new();
            let required = schema["required"].as_array().into_iter().flatten();
            for name in required.filter_map(Value::as_str) {
                let field = make(&schema["properties"][name], rng, depth)?;
                fields.insert(name.to_owned(), field);
            }
            Some(Value::Object(fields))
        }
        _ => None,
    }
}

fn bounds(schema: &Value) -> (i64, i64) {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a bound of a schema is whole"
    )]
    let bound = |name: &str| schema[name].as_f64().map(|bound| bound as i64);
    let least = bound("minimum").unwrap_or(0);
    (
        least,
        bound("maximum")
            .unwrap_or(least.saturating_add(100))
            .max(least),
    )
}

fn length(schema: &Value, name: &str, default: usize) -> usize {
    let length = schema[name]
        .as_u64()
        .and_then(|length| usize::try_from(length).ok());
    length.unwrap_or(default)
}

/// A word that is a valid name by most rules.
fn word(rng: &mut Rng) -> String {
    let letters = rng.usize(1..6);
    (0..letters).map(|_| rng.lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_endless_list_is_made() {
        let schema =
            json!({ "type": "array", "minItems": 1_000_000_000, "items": { "type": "boolean" } });
        assert_eq!(make(&schema, &mut Rng::with_seed(1), 3), None);
    }

    #[test]
    fn what_is_changed_stays_within_its_schema() {
        let schema = json!({
            "type": "object",
            "required": ["image"],
            "properties": {
                "image": { "type": "string", "minLength": 1 },
                "replicas": { "type": "integer", "minimum": 1, "maximum": 5 },
                "level": { "type": "string", "enum": ["low", "high"] },
                "paused": { "type": "boolean" },
                "labels": { "type": "object", "additionalProperties": { "type": "string" } },
            },
        });
        let mut rng = Rng::with_seed(1);
        let mut spec = json!({ "image": "nginx", "replicas": 2 });
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..2000 {
            mutate(&mut spec, &schema, &mut rng);
            assert!(
                spec["image"]
                    .as_str()
                    .is_some_and(|image| !image.is_empty()),
                "{spec}"
            );
            if let Some(replicas) = spec["replicas"].as_i64() {
                assert!((1..=5).contains(&replicas), "{spec}");
            }
            assert!(
                spec["level"].is_null()
                    || ["low", "high"].contains(&spec["level"].as_str().unwrap())
            );
            seen.extend(spec.as_object().unwrap().keys().cloned());
        }
        assert_eq!(seen.len(), 5, "{seen:?}");
    }
}
