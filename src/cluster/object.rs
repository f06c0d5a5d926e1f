use std::fmt;

use serde_json::{Map, Value, json};

/// What tells an object from all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectId {
    /// The group, empty for Kubernetes' first one. The version does not count: it is the same object
    /// in every one.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// The namespace, where it has one.
    pub namespace: Option<String>,
    /// The name.
    pub name: String,
}

impl ObjectId {
    /// That of an object.
    pub fn of(object: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let version = text(&object["apiVersion"]);
        let metadata = &object["metadata"];
        Self {
            group: version
                .split_once('/')
                .map_or("", |(group, _)| group)
                .to_owned(),
            kind: text(&object["kind"]),
            namespace: metadata["namespace"].as_str().map(str::to_owned),
            name: text(&metadata["name"]),
        }
    }

    /// Whether the two are of one object, where a manifest may leave out the namespace.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let namespaces = (&self.namespace, &other.namespace);
        self.group == other.group
            && self.kind == other.kind
            && self.name == other.name
            && (self.namespace == other.namespace || matches!(namespaces, (None, _) | (_, None)))
    }
}

impl fmt::Display for ObjectId {
    /// As `Deployment app-operator-system/app-operator-controller-manager`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.namespace {
            Some(namespace) => write!(f, "{} {namespace}/{}", self.kind, self.name),
            None => write!(f, "{} {}", self.kind, self.name),
        }
    }
}

/// The object among others, if it is there.
pub(super) fn find<'a>(objects: &'a [Value], id: &ObjectId) -> Option<&'a Value> {
    objects
        .iter()
        .find(|object| ObjectId::of(object).is_same(id))
}

/// Objects as kubectl reads them.
pub(super) fn list<'a>(objects: impl IntoIterator<Item = &'a Value>) -> String {
    let items: Vec<&Value> = objects.into_iter().collect();
    json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()
}

/// Whether two states of an object are the same but for what the API server keeps for itself.
pub(super) fn is_equal(one: &Value, other: &Value) -> bool {
    significant(one) == significant(other)
}

fn significant(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(fields) = object.as_object_mut() {
        fields.remove("status");
    }
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        for field in [
            "creationTimestamp",
            "generation",
            "managedFields",
            "resourceVersion",
            "uid",
        ] {
            metadata.remove(field);
        }
    }
    object
}

/// The conditions of an object, by their type.
pub(super) fn condition<'a>(object: &'a Value, kind: &str) -> Option<&'a Map<String, Value>> {
    let conditions = object["status"]["conditions"].as_array()?;
    let found = conditions
        .iter()
        .find(|condition| condition["type"] == kind);
    found.and_then(Value::as_object)
}

/// Whether a condition is true.
pub(super) fn is_true(object: &Value, kind: &str) -> bool {
    condition(object, kind).is_some_and(|condition| condition["status"] == "True")
}

/// What a condition says in words: its reason and its message.
pub(super) fn words(condition: &Map<String, Value>) -> String {
    let text = |key: &str| {
        condition
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    match (text("reason"), text("message")) {
        ("", message) => message.to_owned(),
        (reason, "") => reason.to_owned(),
        (reason, message) => format!("{reason}: {message}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_missing_namespaces_do_not_count() {
        let object = |version: &str, namespace: Option<&str>| {
            let mut object = json!({"apiVersion": version, "kind": "A", "metadata": {"name": "a"}});
            if let Some(namespace) = namespace {
                object["metadata"]["namespace"] = namespace.into();
            }
            ObjectId::of(&object)
        };
        assert!(object("g/v1", Some("n")).is_same(&object("g/v2", Some("n"))));
        assert!(object("g/v1", None).is_same(&object("g/v1", Some("n"))));
        assert!(!object("g/v1", Some("m")).is_same(&object("g/v1", Some("n"))));
        assert!(!object("v1", None).is_same(&object("g/v1", None)));
        assert_eq!(object("v1", Some("n")).to_string(), "A n/a");
    }

    #[test]
    fn what_the_server_keeps_does_not_count() {
        let one = json!({"metadata": {"name": "a", "generation": 1}, "spec": {"a": 1}});
        let other = json!({"metadata": {"name": "a", "uid": "u"}, "spec": {"a": 1}, "status": {}});
        assert!(is_equal(&one, &other));
        assert!(!is_equal(
            &one,
            &json!({"metadata": {"name": "a"}, "spec": {"a": 2}})
        ));
    }
}
