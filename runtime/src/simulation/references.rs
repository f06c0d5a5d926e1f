//! References between the objects of the user: texts in a spec that are the name of another object.

use std::collections::BTreeMap;

use fastrand::Rng;
use serde_json::Value;

use super::subject::Subject;

/// Replaces the names of objects in a spec.
pub(super) fn rename(spec: &mut Value, names: &BTreeMap<&str, String>) {
    for text in texts(spec) {
        if let Some(name) = names.get(&**text) {
            name.clone_into(text);
        }
    }
}

/// Makes one reference in the spec of an object lead to another object of the same kind, in a quarter of the cases if
/// there are any. Returns whether it did.
pub(super) fn redirect(
    spec: &mut Value,
    of: &Subject,
    subjects: &[Subject],
    rng: &mut Rng,
) -> bool {
    let is_near = |other: &&Subject| {
        let namespace = &other.target.namespace;
        namespace.is_none() || *namespace == of.target.namespace
    };
    let near: Vec<_> = subjects.iter().filter(is_near).collect();
    let mut places = Vec::new();
    for text in texts(spec) {
        let kinds = near
            .iter()
            .filter(|subject| subject.target.name == *text && subject.target != of.target)
            .map(|subject| subject.target.resource());
        let kinds: Vec<_> = kinds.collect();
        let others = near.iter().map(|subject| &subject.target).filter(|target| {
            target.name != *text && **target != of.target && kinds.contains(&target.resource())
        });
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
fn texts(value: &mut Value) -> Vec<&mut String> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter_mut().flat_map(texts).collect(),
        Value::Object(fields) => fields.values_mut().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn subject(kind: &str, name: &str) -> Subject {
        let object =
            json!({ "apiVersion": "v1", "kind": kind, "metadata": { "name": name }, "spec": {} });
        Subject::of(&object, &[], "shop").unwrap()
    }

    #[test]
    fn a_reference_leads_to_another_of_its_kind() {
        let account = subject("Account", "account-a");
        let all = [
            subject("Broker", "broker-a"),
            subject("Broker", "broker-b"),
            account.clone(),
            subject("Account", "account-b"),
        ];
        let mut rng = Rng::with_seed(1);
        let mut spec = json!({ "name": "account-a", "brokers": ["broker-a"], "image": "web" });
        while !redirect(&mut spec, &account, &all, &mut rng) {}
        let expected = json!({ "name": "account-a", "brokers": ["broker-b"], "image": "web" });
        assert_eq!(spec, expected);
        let mut other = all.clone();
        other[1].target.namespace = Some("other".to_owned());
        let mut spec = json!(["broker-a"]);
        assert!((0..100).all(|_| !redirect(&mut spec, &account, &other, &mut rng)));
    }
}
