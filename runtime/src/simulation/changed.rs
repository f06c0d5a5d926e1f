//! Summarizes the changes of a write.

use serde_json::{Map, Value};

/// Maximum number of listed fields.
const MOST: usize = 4;

/// Maximum length of a value.
const LONGEST: usize = 24;

/// Fields that every write changes.
const OF_EVERY_WRITE: [&str; 3] = ["generation", "managedFields", "resourceVersion"];

/// The fields that differ, with their values before and after: `spec.replicas 1 -> 2, status`.
pub(super) fn changed(before: &Value, after: &Value) -> String {
    let mut found = Vec::new();
    compare("", before, after, &mut found);
    let more = found.len().saturating_sub(MOST);
    found.truncate(MOST);
    if more > 0 {
        found.push(format!("{more} more"));
    }
    found.join(", ")
}

fn compare(path: &str, before: &Value, after: &Value, found: &mut Vec<String>) {
    let (old, new) = match (before, after) {
        (Value::Object(old), Value::Object(new)) => (old, new),
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                if old != new {
                    compare(&format!("{path}[{index}]"), old, new, found);
                }
            }
            return;
        }
        _ => {
            found.push(format!("{path} {} -> {}", shown(before), shown(after)));
            return;
        }
    };
    for field in fields(old, new) {
        if path == "metadata" && OF_EVERY_WRITE.contains(&&**field) {
            continue;
        }
        let [old, new] = [old, new].map(|object| object.get(field).unwrap_or(&Value::Null));
        // Most of an object is unchanged.
        if old == new {
            continue;
        }
        let path = match path {
            "" => field.clone(),
            path => format!("{path}.{field}"),
        };
        compare(&path, old, new, found);
    }
}

/// The fields of both objects.
fn fields<'a>(
    old: &'a Map<String, Value>,
    new: &'a Map<String, Value>,
) -> impl Iterator<Item = &'a String> {
    let added = new.keys().filter(|field| !old.contains_key(*field));
    old.keys().chain(added)
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::Array(items) => format!("[{}]", items.len()),
        Value::Object(_) => "{…}".to_owned(),
        value => {
            let text = value.to_string();
            match text.char_indices().nth(LONGEST) {
                Some((end, _)) => format!("{}…", &text[..end]),
                None => text,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::changed;

    #[test]
    fn fields_that_differ_are_named() {
        let before = json!({
            "metadata": { "resourceVersion": "1", "labels": { "a": "b" } },
            "spec": { "replicas": 1, "list": [1, 2], "image": "x".repeat(40) },
            "status": { "conditions": [{ "type": "A", "status": "True" }, { "type": "B" }] },
        });
        let after = json!({
            "metadata": { "resourceVersion": "2" },
            "spec": { "replicas": 2, "list": [], "image": "y", "port": 80 },
            "status": {},
        });
        let mut listed = before.clone();
        listed["status"]["conditions"][0]["status"] = json!("False");
        let expected = "status.conditions[0].status \"True\" -> \"False\"";
        assert_eq!(changed(&before, &listed), expected);

        let expected = format!(
            "metadata.labels {{…}} -> none, spec.image \"{}… -> \"y\", spec.list [2] -> [0], spec.replicas 1 -> 2, 2 more",
            "x".repeat(23)
        );
        assert_eq!(changed(&before, &after), expected);
        assert_eq!(changed(&before, &before), "");
    }
}
