//! The namespace and name of an object.

use std::fmt;

use kube::Resource;

/// The namespace and name of an object of some kind. Cluster-scoped objects have no namespace, however
/// the object was found: one object has one key.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(crate) struct Key {
    pub(crate) namespace: Option<String>,
    pub(crate) name: String,
}

impl Key {
    /// Creates a key from its parts.
    pub(crate) fn new(namespace: Option<&str>, name: &str) -> Self {
        Self {
            namespace: namespace.map(str::to_owned),
            name: name.to_owned(),
        }
    }

    pub(crate) fn of(object: &impl Resource) -> Self {
        let meta = object.meta();
        Self {
            namespace: meta.namespace.clone(),
            name: meta.name.clone().unwrap_or_default(),
        }
    }
}

/// The name of an object from the view of a namespace: with its own namespace if that differs.
pub(crate) fn name_from(from: Option<&str>, namespace: Option<&str>, name: &str) -> String {
    match namespace {
        Some(namespace) if from != Some(namespace) => format!("{namespace}/{name}"),
        _ => name.to_owned(),
    }
}

impl fmt::Display for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.namespace {
            Some(namespace) => write!(formatter, "{namespace}/{}", self.name),
            None => formatter.write_str(&self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::name_from;

    #[test]
    fn an_object_elsewhere_is_named_with_its_namespace() {
        for (from, namespace, name) in [
            (Some("shop"), Some("shop"), "web"),
            (Some("shop"), Some("backup"), "backup/web"),
            (None, Some("shop"), "shop/web"),
            (Some("shop"), None, "web"),
            (None, None, "web"),
        ] {
            assert_eq!(name_from(from, namespace, "web"), name);
        }
    }
}
