//! The differences of objects in two clusters, except for times, uids and revisions.

use std::collections::BTreeMap;
use std::fmt;

use k8s_openapi::jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::check::condition;
use super::managers;
use super::world::{decoded, is_part};

/// The beginning of all uids, which end with twelve digits.
const UID: &str = "00000000-0000-4000-8000-";

/// A field that differs.
#[derive(Debug, PartialEq)]
pub(super) struct Difference {
    pub(super) path: String,
    here: Value,
    there: Value,
}

impl Difference {
    /// Whether both are strings, which can be random.
    pub(super) fn is_of_texts(&self) -> bool {
        self.here.is_string() && self.there.is_string()
    }

    /// Whether one of two random values is the other there, or contains it, and here it does not.
    pub(super) fn is_lost_copy(&self, of: &Self) -> bool {
        let are_copies = |one: &Value, other: &Value| {
            let [one, other] =
                [one, other].map(|value| decoded(value.as_str().unwrap_or_default()));
            is_part(&one, &other) || is_part(&other, &one)
        };
        let is_meant = |field: &Self| field.is_of_texts() && !field.depends_on_time();
        is_meant(self)
            && is_meant(of)
            && are_copies(&self.there, &of.there)
            && !are_copies(&self.here, &of.here)
    }

    /// Whether it is a time or a token, which has one: those of two fields are the same by chance.
    fn depends_on_time(&self) -> bool {
        let there = decoded(self.there.as_str().unwrap_or_default());
        let is_time = there.parse::<f64>().is_ok() || there.parse::<Timestamp>().is_ok();
        is_time || there.starts_with("eyJ")
    }
}

/// As in "data.a: 1 here, 2 there".
impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [here, there] = [&self.here, &self.there].map(shown);
        write!(formatter, "{}: {here} here, {there} there", self.path)
    }
}

/// The values of fields, by path.
type Fields = BTreeMap<String, Value>;

/// The fields that the operator manages in at least one of two objects, and that differ.
pub(super) fn of_children(here: &Value, there: &Value, operator: &str) -> Vec<Difference> {
    let mut tree = merged([here, there].map(|object| managers::of_child(object, operator)));
    // The owner of a child of a child has another uid.
    if let Some(metadata) = tree.get_mut("f:metadata").and_then(Value::as_object_mut) {
        metadata.remove("f:ownerReferences");
    }
    let [mut here_fields, mut there_fields] = [here, there].map(|object| {
        let mut fields = Fields::new();
        for (key, below) in tree.as_object().into_iter().flatten() {
            // No other field of the metadata is managed.
            if key != "f:metadata" || below != &json!({}) {
                collect(&json!({ key: below }), Some(object), "", &mut fields);
            }
        }
        fields.insert("metadata.ownerReferences".to_owned(), owners(object));
        fields
    });
    compare(&mut here_fields, &mut there_fields)
}

/// The fields of the status that the operator manages in at least one of two objects, and that differ. The others, such
/// as all of a Node's status, are the user's or another controller's.
pub(super) fn of_statuses(here: &Value, there: &Value, operator: &str) -> Vec<Difference> {
    let tree = merged([here, there].map(|object| managers::of_status(object, operator)));
    in_tree(&tree, here, there)
}

/// The labels and annotations of an object of others that the operator manages in at least one of two clusters, and that
/// differ.
pub(super) fn of_marks(here: &Value, there: &Value, operator: &str) -> Vec<Difference> {
    let tree = merged([here, there].map(|object| managers::of_child(object, operator)));
    let metadata = &tree["f:metadata"];
    let marks = ["f:labels", "f:annotations"].into_iter();
    let marks: Map<_, _> = marks
        .filter_map(|marks| Some((marks.to_owned(), metadata.get(marks)?.clone())))
        .collect();
    if marks.is_empty() {
        return Vec::new();
    }
    in_tree(&json!({ "f:metadata": marks }), here, there)
}

/// How the readiness of two objects differs.
pub(super) fn of_readiness(here: &Value, there: &Value) -> Vec<Difference> {
    let [mut here, mut there] = [here, there].map(|object| {
        let ready = condition(object, "Ready").unwrap_or(&Value::Null);
        let fields = ["status", "reason"].map(|field| {
            let path = format!("status.conditions[Ready].{field}");
            (path, ready[field].clone())
        });
        Fields::from(fields)
    });
    compare(&mut here, &mut there)
}

/// The fields of a tree of `fieldsV1` that differ. An empty tree has none.
fn in_tree(tree: &Value, here: &Value, there: &Value) -> Vec<Difference> {
    let [mut here, mut there] = [here, there].map(|object| {
        let mut fields = Fields::new();
        if *tree != json!({}) {
            collect(tree, Some(object), "", &mut fields);
        }
        fields
    });
    compare(&mut here, &mut there)
}

fn compare(here: &mut Fields, there: &mut Fields) -> Vec<Difference> {
    for path in here.keys() {
        there.entry(path.clone()).or_default();
    }
    let pairs = there.iter().map(|(path, there)| Difference {
        path: path.clone(),
        here: here.get(path).cloned().unwrap_or_default(),
        there: there.clone(),
    });
    pairs.filter(|pair| pair.here != pair.there).collect()
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        value => value.to_string(),
    }
}

/// One tree of the fields of several.
fn merged<'a>(trees: [impl Iterator<Item = &'a Value>; 2]) -> Value {
    let mut tree = Value::Object(Map::new());
    for fields in trees.into_iter().flatten() {
        merge(&mut tree, fields);
    }
    tree
}

/// Adds the fields of a tree to another.
fn merge(into: &mut Value, from: &Value) {
    let (Some(into), Some(from)) = (into.as_object_mut(), from.as_object()) else {
        return;
    };
    for (key, below) in from {
        merge(into.entry(key).or_insert_with(|| json!({})), below);
    }
}

/// Collects the values of the leaves of a tree of `fieldsV1`.
fn collect(tree: &Value, value: Option<&Value>, path: &str, found: &mut Fields) {
    let fields = tree.as_object().into_iter().flatten();
    let mut is_leaf = true;
    for (key, below) in fields {
        is_leaf = false;
        let Some((type_, rest)) = key.split_once(':') else {
            // The element itself.
            found.insert(path.to_owned(), json!(value.is_some()));
            continue;
        };
        match type_ {
            "f" => {
                let value = value.and_then(|value| value.get(rest));
                let path = if path.is_empty() {
                    rest.to_owned()
                } else {
                    format!("{path}.{rest}")
                };
                collect(below, value, &path, found);
            }
            "k" => {
                let keys = serde_json::from_str(rest).unwrap_or(Value::Null);
                let item = item(value, &keys);
                collect(below, item, &format!("{path}[{}]", label(&keys)), found);
            }
            _ => {
                let item: Value = serde_json::from_str(rest).unwrap_or(Value::Null);
                let items = value.and_then(Value::as_array);
                let is_in = items.is_some_and(|items| items.contains(&item));
                found.insert(format!("{path}[{item}]"), json!(is_in));
            }
        }
    }
    if is_leaf {
        found.insert(path.to_owned(), value.map_or(Value::Null, normal));
    }
}

/// The item of a list with these values of its keys.
fn item<'a>(list: Option<&'a Value>, keys: &Value) -> Option<&'a Value> {
    list?.as_array()?.iter().find(|item| has_keys(item, keys))
}

/// Whether an item of a list has these values of its keys.
pub(super) fn has_keys(item: &Value, keys: &Value) -> bool {
    let mut keys = keys.as_object().into_iter().flatten();
    keys.all(|(key, value)| item[key] == *value)
}

/// The values of the keys of an item.
fn label(keys: &Value) -> String {
    let values: Vec<_> = keys
        .as_object()
        .into_iter()
        .flatten()
        .map(|(_, value)| {
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned)
        })
        .collect();
    values.join(",")
}

/// The kinds and names of the owners.
fn owners(object: &Value) -> Value {
    let references = object["metadata"]["ownerReferences"].as_array();
    let mut names: Vec<_> = references
        .into_iter()
        .flatten()
        .map(|reference| {
            let text = |field: &str| reference[field].as_str().unwrap_or_default().to_owned();
            format!("{} {}", text("kind"), text("name"))
        })
        .collect();
    names.sort();
    json!(names)
}

/// A value without times and uids.
fn normal(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let known = fields.iter().filter(|(_, value)| !value.is_null());
            known
                .map(|(name, value)| (name.clone(), normal(value)))
                .collect::<Map<_, _>>()
                .into()
        }
        Value::Array(items) => items.iter().map(normal).collect(),
        Value::String(text) if text.parse::<Timestamp>().is_ok() => json!("(a time)"),
        Value::String(text) if text.contains(UID) => json!(without_uids(text)),
        value => value.clone(),
    }
}

fn without_uids(text: &str) -> String {
    let mut parts = text.split(UID);
    let mut normal = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        normal.push_str("(a uid)");
        normal.push_str(part.get(12..).unwrap_or_default());
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    fn children(here: &Value, there: &Value) -> Vec<String> {
        lines(of_children(here, there, "operator"))
    }

    fn statuses(here: &Value, there: &Value, operator: &str) -> Vec<String> {
        lines(of_statuses(here, there, operator))
    }

    fn lines(differences: Vec<Difference>) -> Vec<String> {
        differences.iter().map(Difference::to_string).collect()
    }

    #[test]
    fn only_managed_fields_are_compared() {
        let map = |text: &str, note: &str| {
            json!({
                "metadata": {
                    "annotations": { "note": note },
                    "managedFields": [
                        { "manager": "operator", "fieldsV1": { "f:data": { "f:text": {} } } },
                        { "manager": "other", "fieldsV1": { "f:metadata": { "f:annotations": { "f:note": {} } } } },
                    ],
                },
                "data": { "text": text },
            })
        };
        assert_eq!(
            children(&map("old", "a"), &map("new", "b")),
            ["data.text: \"old\" here, \"new\" there"]
        );
        assert_eq!(children(&map("new", "a"), &map("new", "b")), [""; 0]);
    }

    #[test]
    fn a_revision_is_not_compared_with_the_owner() {
        let map = |revision: &str, data: Value| {
            json!({
                "metadata": {
                    "resourceVersion": revision,
                    "managedFields": [{
                        "manager": "unknown",
                        "fieldsV1": { "f:metadata": { "f:ownerReferences": {} }, "f:data": { "f:a": {} } },
                    }],
                },
                "data": data,
            })
        };
        let (here, there) = (map("1", json!({ "a": "b" })), map("2", json!({ "a": "b" })));
        assert_eq!(children(&here, &there), [""; 0]);
        let there = map("2", json!({}));
        assert_eq!(
            children(&here, &there),
            ["data.a: \"b\" here, nothing there"]
        );
    }

    #[test]
    fn an_item_of_a_list_is_found_by_its_keys() {
        let service = |port: i32| {
            json!({
                "metadata": { "managedFields": [{
                    "manager": "operator",
                    "fieldsV1": { "f:spec": { "f:ports": { "k:{\"name\":\"web\"}": { "f:port": {} } } } },
                }] },
                "spec": { "ports": [{ "name": "other", "port": 1 }, { "name": "web", "port": port }] },
            })
        };
        assert_eq!(
            children(&service(80), &service(81)),
            ["spec.ports[web].port: 80 here, 81 there"]
        );
    }

    #[test]
    fn what_is_a_copy_there_is_one_here() {
        let field = |here: &str, there: Option<&str>| Difference {
            path: String::new(),
            here: json!(here),
            there: json!(there),
        };
        let password = field("second-one", Some("first-one"));
        for (other, is_lost) in [
            (field("second-one", Some("first-one")), false),
            (field("an-older-one", Some("first-one")), true),
            (field("db://second-one@", Some("db://first-one@")), false),
            (field("db://an-older-one@", Some("db://first-one@")), true),
            // Of two keys, the older one is still valid.
            (field("second-one,older", Some("first-one")), false),
            (field("an-older-one", None), false),
        ] {
            assert_eq!(other.is_lost_copy(&password), is_lost, "{other:?}");
        }
        // "1893456000" in Base64.
        let second = field("MTg5MzQ1NjAwMQ==", Some("MTg5MzQ1NjAwMA=="));
        let first = field("MTg5MzQ1NjAwMg==", Some("MTg5MzQ1NjAwMA=="));
        assert!(!second.is_lost_copy(&first));
    }

    /// An object with a condition of the operator, beside what another controller reports.
    fn with_status(time: &str, uid: u32, message: &str, other: &str) -> Value {
        json!({
            "metadata": { "managedFields": [
                {
                    "manager": "operator",
                    "subresource": "status",
                    "fieldsV1": { "f:status": {
                        "f:conditions": { "k:{\"type\":\"Ready\"}": { ".": {}, "f:type": {}, "f:lastTransitionTime": {}, "f:message": {} } },
                        "f:secret": {},
                    } },
                },
                { "manager": "kubelet", "subresource": "status", "fieldsV1": { "f:status": { "f:phase": {} } } },
            ] },
            "status": {
                "conditions": [{ "type": "Ready", "lastTransitionTime": time, "message": message }],
                "secret": format!("secret-{UID}{uid:012x}"),
                "phase": other,
            },
        })
    }

    #[test]
    fn times_and_uids_do_not_count() {
        let here = with_status("2030-01-01T00:00:00Z", 7, "a", "Running");
        let there = with_status("2030-01-01T00:01:00Z", 12, "a", "Running");
        assert_eq!(statuses(&here, &there, "operator"), [""; 0]);
        let there = with_status("2030-01-01T00:01:00Z", 12, "b", "Running");
        assert_eq!(
            statuses(&here, &there, "operator"),
            ["status.conditions[Ready].message: \"a\" here, \"b\" there"]
        );
    }

    #[test]
    fn the_status_of_another_controller_does_not_count() {
        let [here, there] = ["Running", "Pending"].map(|phase| with_status("", 7, "a", phase));
        assert_eq!(statuses(&here, &there, "operator"), [""; 0]);
        assert_eq!(statuses(&here, &there, "kubelet").len(), 1);
        let mut none = there;
        none["metadata"] = json!({});
        none["status"] = json!({});
        assert_eq!(statuses(&here, &none, "operator").len(), 5);
    }
}
