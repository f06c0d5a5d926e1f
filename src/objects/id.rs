//! Which object is meant.

use std::fmt;

use serde_json::Value;

/// What tells an object from all others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ObjectId {
    /// The group, empty for Kubernetes' first one. The version does not count: it is the same object
    /// in every one.
    pub group: String,
    /// The kind, without its group.
    pub kind: String,
    /// The namespace, where it has one.
    pub namespace: Option<String>,
    /// The name, without the namespace.
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
    fn is_same(&self, other: &Self) -> bool {
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

/// The name of an object, without the namespace; empty if it has none.
pub(crate) fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

/// The object among others, if it is there.
pub(crate) fn find<'a>(objects: &'a [Value], id: &ObjectId) -> Option<&'a Value> {
    objects
        .iter()
        .find(|object| ObjectId::of(object).is_same(id))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
}
