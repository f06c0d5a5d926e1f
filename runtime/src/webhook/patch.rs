//! Computes the patch of a defaulting webhook for the object that the API server sent.
//!
//! The object may have fields that its Rust type does not know. So the changes between the typed
//! objects before and after are merged into the original object, and the patch is the difference to
//! it.

use serde_json::{Value, json};

/// The patch that changes `raw` as `before` was changed to `after`. `None` if nothing changed.
pub(super) fn patch(raw: &Value, before: &Value, after: &Value) -> Option<Value> {
    let mut changed = raw.clone();
    carry_over(&mut changed, before, after);
    let patch = json_patch::diff(raw, &changed);
    (!patch.0.is_empty()).then(|| json!(patch))
}

/// Changes `raw` as `before` was changed to `after`.
fn carry_over(raw: &mut Value, before: &Value, after: &Value) {
    if before == after {
        return;
    }
    match (raw, before, after) {
        (Value::Object(raw), Value::Object(before), Value::Object(after)) => {
            for key in before.keys().filter(|key| !after.contains_key(*key)) {
                raw.remove(key);
            }
            for (key, value) in after {
                match (raw.get_mut(key), before.get(key)) {
                    (Some(raw), Some(before)) => carry_over(raw, before, value),
                    (None, Some(before)) if before == value => {}
                    _ => drop(raw.insert(key.clone(), value.clone())),
                }
            }
        }
        // Items are matched by index. If items moved, fields that the type does not know are lost.
        (Value::Array(raw), Value::Array(before), Value::Array(after))
            if raw.len() == before.len()
                && (after.len() == before.len() || after.starts_with(before)) =>
        {
            let known = before.iter().zip(after);
            for (raw, (before, after)) in raw.iter_mut().zip(known) {
                carry_over(raw, before, after);
            }
            raw.extend(after.iter().skip(before.len()).cloned());
        }
        (raw, _, after) => *raw = after.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_changed_is_no_patch() {
        let raw = json!({"spec": {"unknown": 1, "image": "a"}});
        let typed = json!({"spec": {"image": "a", "ports": []}});
        assert_eq!(patch(&raw, &typed, &typed), None);
    }

    #[test]
    fn a_field_whose_parent_is_not_there_comes_with_its_parent() {
        let raw = json!({"kind": "App"});
        let before = json!({"kind": "App", "spec": {"ports": []}});
        let after = json!({"kind": "App", "spec": {"ports": [], "replicas": 2}});
        let patch = patch(&raw, &before, &after).unwrap();
        let add = json!([{"op": "add", "path": "/spec", "value": {"ports": [], "replicas": 2}}]);
        assert_eq!(patch, add);
    }

    #[test]
    fn what_the_type_does_not_know_stays() {
        let raw = json!({"spec": {"new": true, "items": [{"name": "a", "new": 1}], "old": 1}});
        let before = json!({"spec": {"items": [{"name": "a"}], "old": 1}});
        let after = json!({"spec": {"items": [{"name": "a", "port": 1}, {"name": "b"}]}});
        let mut changed = raw.clone();
        carry_over(&mut changed, &before, &after);
        let items = json!([{"name": "a", "new": 1}, {"name": "b"}]);
        // The first item changed while the list grew, so items cannot be matched.
        assert_ne!(changed["spec"]["items"], items);
        assert_eq!(changed["spec"]["new"], true);
        assert!(changed["spec"].get("old").is_none());

        let grown = json!({"spec": {"items": [{"name": "a"}, {"name": "b"}], "old": 1}});
        let mut changed = raw.clone();
        carry_over(&mut changed, &before, &grown);
        assert_eq!(changed["spec"]["items"], items);
    }

    #[test]
    fn names_with_slashes_are_escaped() {
        let raw = json!({"metadata": {"labels": {"a/b": "1"}}});
        let after = json!({"metadata": {"labels": {"a/b": "2"}}});
        let patch = patch(&raw, &raw, &after).unwrap();
        let replace = json!([{"op": "replace", "path": "/metadata/labels/a~1b", "value": "2"}]);
        assert_eq!(patch, replace);
    }
}
