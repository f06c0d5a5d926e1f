//! The target of a request.

use std::fmt;

use hyper::{Method, Request};
use serde_json::Value;

use crate::testing::api_server;

/// The resource of leader election.
pub(super) const LEASES: &str = "coordination.k8s.io/v1/leases";

/// The object or collection that a request addresses.
#[derive(Clone, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Target {
    /// For example `apps/v1`, or `v1`.
    pub(super) version: String,
    /// For example `deployments`.
    pub(super) plural: String,
    pub(super) namespace: Option<String>,
    /// Empty for a collection.
    pub(super) name: String,
    /// For example `status`, or empty.
    pub(super) subresource: String,
}

impl Target {
    /// Parses a path of the API. `None` if it is neither an object nor a collection.
    pub(super) fn at(path: &str) -> Option<Self> {
        let found = api_server::Target::parse(path)?;
        Some(Self {
            version: match &*found.group {
                "" => found.version,
                group => format!("{group}/{}", found.version),
            },
            plural: found.plural,
            namespace: Some(found.namespace).filter(|namespace| !namespace.is_empty()),
            name: found.name,
            subresource: found.subresource,
        })
    }

    /// An object of a namespaced resource.
    pub(super) fn of(version: &str, plural: &str, object: &Value) -> Self {
        Self {
            version: version.to_owned(),
            plural: plural.to_owned(),
            namespace: Some(text(object, "namespace").to_owned()),
            name: text(object, "name").to_owned(),
            subresource: String::new(),
        }
    }

    /// Its resource with the group: two groups may have kinds of the same name.
    pub(super) fn resource(&self) -> String {
        format!("{}/{}", self.version, self.plural)
    }

    /// The group and plural, which all versions of a resource share.
    pub(super) fn group_resource(&self) -> String {
        let (group, _) = self.version.split_once('/').unwrap_or_default();
        format!("{group}/{}", self.plural)
    }

    /// Its path, without the subresource.
    pub(super) fn path(&self) -> String {
        let root = if self.version.contains('/') {
            "apis"
        } else {
            "api"
        };
        let mut path = format!("/{root}/{}", self.version);
        if let Some(namespace) = &self.namespace {
            path = format!("{path}/namespaces/{namespace}");
        }
        path = format!("{path}/{}", self.plural);
        match &*self.name {
            "" => path,
            name => format!("{path}/{name}"),
        }
    }

    /// The path of its status.
    pub(super) fn status_path(&self) -> String {
        format!("{}/status", self.path())
    }

    /// Whether it is a Lease, or their collection.
    pub(super) fn is_lease(&self) -> bool {
        self.resource() == LEASES
    }

    /// Whether it is a Lease, an event or an access review.
    pub(super) fn is_machinery(&self) -> bool {
        matches!(&*self.plural, "leases" | "events" | "tokenreviews")
            || self.plural.ends_with("accessreviews")
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.plural)?;
        for part in self.namespace.iter().chain([&self.name, &self.subresource]) {
            if !part.is_empty() {
                write!(formatter, "/{part}")?;
            }
        }
        Ok(())
    }
}

/// A string field of the metadata of an object.
pub(super) fn text<'a>(object: &'a Value, field: &str) -> &'a str {
    object["metadata"][field].as_str().unwrap_or_default()
}

/// Whether a request can change an object.
pub(super) fn is_write<B>(request: &Request<B>) -> bool {
    !matches!(*request.method(), Method::GET | Method::HEAD)
}

/// Whether a request is a watch.
pub(super) fn is_watch<B>(request: &Request<B>) -> bool {
    let mut pairs = request.uri().query().unwrap_or_default().split('&');
    pairs.any(|pair| matches!(pair, "watch=true" | "watch=1"))
}

#[cfg(test)]
mod tests {
    use super::Target;

    #[test]
    fn a_path_names_what_it_is_about() {
        for (path, text) in [
            ("/api/v1/namespaces/shop/secrets/web", "secrets/shop/web"),
            ("/apis/apps/v1/deployments", "deployments"),
            (
                "/apis/a.example.com/v1/namespaces/shop/apps/web/status",
                "apps/shop/web/status",
            ),
            ("/api/v1/namespaces/shop", "namespaces/shop"),
            ("/api/v1/namespaces", "namespaces"),
        ] {
            let target = Target::at(path).unwrap();
            assert_eq!(target.to_string(), text);
            assert_eq!(target.path(), path.trim_end_matches("/status"));
        }
        assert_eq!(Target::at("/version"), None);
    }
}
