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
    /// A key of these parts.
    pub(crate) fn new(namespace: Option<&str>, name: &str) -> Self {
        Self {
            namespace: namespace.map(str::to_owned),
            name: name.to_owned(),
        }
    }

    /// The key of an object.
    pub(crate) fn of(object: &impl Resource) -> Self {
        let meta = object.meta();
        Self {
            namespace: meta.namespace.clone(),
            name: meta.name.clone().unwrap_or_default(),
        }
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
