//! Merges changes from another version into the original.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::RandomState;
use serde_json::{Map, Value};

/// Merges changes into `kept`. `usual` is the result of a round trip of `kept` without a change, and `new` that of the
/// current object.
///
/// Fields are merged. An item of a list that is as in `usual` is replaced by the item of `kept`, wherever it is now;
/// other items are taken from `new`.
pub(super) fn merge(kept: &Value, usual: &Value, new: &Value) -> Value {
    if usual == new {
        return kept.clone();
    }
    match (kept, usual, new) {
        (Value::Object(kept), Value::Object(usual), Value::Object(new)) => {
            Value::Object(fields(kept, usual, new))
        }
        (Value::Array(kept), Value::Array(usual), Value::Array(new))
            if kept.len() == usual.len() =>
        {
            Value::Array(items(kept, usual, new))
        }
        _ => new.clone(),
    }
}

fn fields(
    kept: &Map<String, Value>,
    usual: &Map<String, Value>,
    new: &Map<String, Value>,
) -> Map<String, Value> {
    let is_removed = |name: &str| usual.contains_key(name) && !new.contains_key(name);
    let mut merged = kept.clone();
    merged.retain(|name, _| !is_removed(name));
    for (name, new) in new {
        let value = match (kept.get(name), usual.get(name)) {
            (Some(kept), Some(usual)) => merge(kept, usual, new),
            // The round trip adds it, and the original did not have it.
            (None, Some(usual)) if usual == new => continue,
            _ => new.clone(),
        };
        merged.insert(name.clone(), value);
    }
    merged
}

fn items(kept: &[Value], usual: &[Value], new: &[Value]) -> Vec<Value> {
    let mut is_used = vec![false; usual.len()];
    // First by index, so that equal items keep their place.
    let mut sources: Vec<Option<usize>> = vec![None; new.len()];
    for (at, item) in new.iter().enumerate() {
        if usual.get(at) == Some(item) {
            (sources[at], is_used[at]) = (Some(at), true);
        }
    }
    // Then by value, in order.
    let mut by_value = HashMap::<_, VecDeque<_>, RandomState>::default();
    for (at, item) in usual.iter().enumerate().filter(|(at, _)| !is_used[*at]) {
        by_value.entry(item).or_default().push_back(at);
    }
    for (source, item) in sources.iter_mut().zip(new) {
        if source.is_none() {
            *source = by_value.get_mut(item).and_then(VecDeque::pop_front);
        }
    }
    let items = new.iter().zip(sources);
    items
        .map(|(item, source)| source.map_or(item, |at| &kept[at]).clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::merge;

    #[test]
    fn what_is_as_usual_is_what_was_kept() {
        let kept = json!({"zone": "UTC", "at": "10:00:30"});
        let usual = json!({"at": "10:00", "extra": 1});
        assert_eq!(merge(&kept, &usual, &usual), kept);
    }

    #[test]
    fn changes_are_carried_over_and_the_rest_stays() {
        let kept = json!({"zone": "UTC", "at": "10:00:30", "name": "a", "deep": {"x": 1, "y": 2}});
        let usual = json!({"at": "10:00", "name": "a", "extra": 1, "deep": {"x": 1}});
        let new = json!({"at": "11:00", "extra": 1, "more": 2, "deep": {"x": 3}});
        let merged = json!({"zone": "UTC", "at": "11:00", "more": 2, "deep": {"x": 3, "y": 2}});
        assert_eq!(merge(&kept, &usual, &new), merged);
        let new = json!({"at": "10:00", "name": "a", "extra": 2});
        let merged = json!({"zone": "UTC", "at": "10:00:30", "name": "a", "extra": 2});
        assert_eq!(merge(&kept, &usual, &new), merged);
    }

    /// This test would take minutes if each item were compared with each other.
    #[test]
    fn long_lists_are_merged_at_once() {
        let item = |number: usize| json!({ "number": number });
        let usual: Value = (0..40_000).map(item).collect();
        let new: Value = (0..40_000).rev().map(item).collect();
        assert_eq!(merge(&usual, &usual, &new), new);
    }

    #[test]
    fn items_of_lists_are_found_again() {
        let kept = json!([{"n": 1, "k": "a"}, {"n": 1, "k": "b"}, {"n": 2, "k": "c"}]);
        let usual = json!([{"n": 1}, {"n": 1}, {"n": 2}]);
        for (new, merged) in [
            // Removed at the front, with an equal item behind it: the item at the same index stays.
            (
                json!([{"n": 1}, {"n": 2}]),
                json!([{"n": 1, "k": "a"}, {"n": 2, "k": "c"}]),
            ),
            // Moved, added and changed.
            (
                json!([{"n": 2}, {"n": 1}, {"n": 3}, {"n": 1}, {"n": 1}]),
                json!([
                    {"n": 2, "k": "c"}, {"n": 1, "k": "b"}, {"n": 3}, {"n": 1, "k": "a"}, {"n": 1},
                ]),
            ),
            (json!([]), json!([])),
            (json!("none"), json!("none")),
        ] {
            assert_eq!(merge(&kept, &usual, &new), merged, "{new}");
        }
        // The items cannot be matched.
        assert_eq!(merge(&json!([1, 2]), &json!([1]), &json!([3])), json!([3]));
    }
}
