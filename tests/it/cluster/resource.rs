//! Where objects are in the API, and what counts of them.

use serde_json::{Value, json};

use crate::support::control_plane::ControlPlane;

/// A kind of objects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resource {
    group: &'static str,
    version: &'static str,
    pub(crate) plural: &'static str,
    pub(crate) kind: &'static str,
}

pub(crate) const DEPLOYMENTS: Resource = Resource::new("apps", "v1", "deployments", "Deployment");
pub(crate) const SERVICES: Resource = Resource::new("", "v1", "services", "Service");
pub(crate) const PODS: Resource = Resource::new("", "v1", "pods", "Pod");

impl Resource {
    pub(crate) const fn new(
        group: &'static str,
        version: &'static str,
        plural: &'static str,
        kind: &'static str,
    ) -> Self {
        Self {
            group,
            version,
            plural,
            kind,
        }
    }

    /// The path of all objects of a namespace, or of the cluster where it is empty.
    pub(crate) fn all(&self, namespace: &str) -> String {
        let Self {
            version, plural, ..
        } = self;
        let api = match self.group {
            "" => format!("/api/{version}"),
            group => format!("/apis/{group}/{version}"),
        };
        match namespace {
            "" => format!("{api}/{plural}"),
            namespace => format!("{api}/namespaces/{namespace}/{plural}"),
        }
    }

    /// The path of one object.
    pub(crate) fn one(&self, namespace: &str, name: &str) -> String {
        format!("{}/{name}", self.all(namespace))
    }

    /// An object of this kind.
    pub(crate) fn object(&self, name: &str, spec: &Value) -> Value {
        let api_version = match self.group {
            "" => self.version.to_owned(),
            group => format!("{group}/{}", self.version),
        };
        json!({
            "apiVersion": api_version,
            "kind": self.kind,
            "metadata": {"name": name},
            "spec": spec,
        })
    }
}

/// The objects of some kinds in a namespace, without what is another in each run: where and when
/// they were made, and what the API server draws by lot.
pub(crate) fn state(plane: &ControlPlane, namespace: &str, kinds: &[Resource]) -> Value {
    let list = |kind: &Resource| {
        let mut items = plane.api().get(&kind.all(namespace))["items"].take();
        normalise(&mut items, namespace);
        (kind.plural.to_owned(), items)
    };
    kinds.iter().map(list).collect()
}

/// Takes out of an object what is another in each run.
pub(crate) fn normalise(value: &mut Value, namespace: &str) {
    const CHANCE: [&str; 8] = [
        "clusterIP",
        "clusterIPs",
        "creationTimestamp",
        "lastTransitionTime",
        "resourceVersion",
        "selfLink",
        "time",
        "uid",
    ];
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !CHANCE.contains(&&**name));
            // The owner in a list of fields that somebody manages.
            let owner = fields.keys().find(|name| name.starts_with("k:{\"uid\""));
            if let Some(owner) = owner.cloned() {
                let value = fields.remove(&owner).unwrap_or_default();
                fields.insert("OWNER".to_owned(), value);
            }
            for (name, value) in fields {
                normalise(value, namespace);
                // They are sorted by time.
                if let ("managedFields", Value::Array(entries)) = (&**name, value) {
                    entries.sort_by_key(Value::to_string);
                }
            }
        }
        Value::Array(values) => {
            for value in values {
                normalise(value, namespace);
            }
        }
        Value::String(text) if !namespace.is_empty() => {
            *text = text.replace(namespace, "NAMESPACE");
        }
        _ => {}
    }
}
