//! References between the objects of the user: texts in a spec that are the name of another object.

use std::collections::BTreeMap;

use fastrand::Rng;
use serde_json::Value;

use super::target::Target;

/// Replaces the names of objects in a spec.
pub(super) fn rename(spec: &mut Value, schema: &Value, names: &BTreeMap<&str, String>) {
    for text in texts_mut(spec, schema) {
        if let Some(name) = names.get(&**text) {
            name.clone_into(text);
        }
    }
}

/// Makes one reference in the spec of an object lead to another object of the same kind, in a quarter of the cases if
/// there are any. Returns whether it did.
pub(super) fn redirect(
    spec: &mut Value,
    schema: &Value,
    of: &Target,
    targets: &[&Target],
    rng: &mut Rng,
) -> bool {
    let is_near = |other: &Target| other.namespace.is_none() || other.namespace == of.namespace;
    let near: Vec<_> = targets
        .iter()
        .filter(|other| **other != of && is_near(other))
        .collect();
    let mut places = Vec::new();
    for text in texts_mut(spec, schema) {
        let named = near.iter().filter(|target| target.name == *text);
        let kinds: Vec<_> = named.map(|target| target.resource()).collect();
        let others = near
            .iter()
            .filter(|target| target.name != *text && kinds.contains(&target.resource()));
        let others: Vec<_> = others.map(|target| target.name.clone()).collect();
        if !others.is_empty() {
            places.push((text, others));
        }
    }
    let Some((text, others)) = rng.choice(places.iter_mut()) else {
        return false;
    };
    let other = rng.choice(others.iter()).filter(|_| rng.u8(..4) == 0);
    if let Some(other) = other {
        other.clone_into(text);
    }
    other.is_some()
}

/// All texts in a value.
pub(super) fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(fields) => fields.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

/// The texts in a value that can be replaced: not those of an enum.
fn texts_mut<'a>(value: &'a mut Value, schema: &Value) -> Vec<&'a mut String> {
    match value {
        Value::String(_) if schema["enum"].is_array() => Vec::new(),
        Value::String(text) => vec![text],
        Value::Array(items) => {
            let items = items.iter_mut();
            items
                .flat_map(|item| texts_mut(item, &schema["items"]))
                .collect()
        }
        Value::Object(fields) => {
            let of_field = |name: &String| {
                let known = schema["properties"].get(name);
                known.unwrap_or(&schema["additionalProperties"])
            };
            let fields = fields.iter_mut();
            fields
                .flat_map(|(name, value)| texts_mut(value, of_field(name)))
                .collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_reference_leads_to_another_of_its_kind() {
        let target = |kind: &str, name: &str| Target {
            plural: kind.to_owned(),
            name: name.to_owned(),
            ..Target::default()
        };
        let account = target("accounts", "account-a");
        let (first, mut second) = (target("brokers", "broker-a"), target("brokers", "broker-b"));
        let other = target("accounts", "account-b");
        let mut rng = Rng::with_seed(1);
        let mut spec = json!({ "name": "account-a", "brokers": ["broker-a"], "size": "broker-a" });
        let all = [&first, &second, &account, &other];
        let schema = json!({ "properties": { "size": { "enum": ["broker-a"] } } });
        while !redirect(&mut spec, &schema, &account, &all, &mut rng) {}
        let expected = json!({ "name": "account-a", "brokers": ["broker-b"], "size": "broker-a" });
        assert_eq!(spec, expected);
        second.namespace = Some("other".to_owned());
        let mut spec = json!(["broker-a"]);
        let all = [&first, &second, &account, &other];
        assert!((0..100).all(|_| !redirect(&mut spec, &schema, &account, &all, &mut rng)));
    }
}
