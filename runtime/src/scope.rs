//! Which namespaces are watched, and the `Api` that reaches a kind there.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::str::FromStr;

use kube::core::{ClusterResourceScope, NamespaceResourceScope};
use kube::runtime::watcher;
use kube::{Api, Client, Resource};

use super::labels;

/// The namespaces to watch; none means all of them.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct WatchNamespaces(BTreeSet<String>);

impl FromStr for WatchNamespaces {
    type Err = Infallible;

    fn from_str(list: &str) -> Result<Self, Self::Err> {
        let names = list
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty());
        Ok(Self(names.map(str::to_owned).collect()))
    }
}

/// Where one loop of a controller watches: a namespace, or the whole cluster.
#[derive(Clone)]
pub struct Scope {
    client: Client,
    namespace: Option<String>,
}

impl Scope {
    /// The `Api` of a kind within this scope.
    #[must_use]
    pub fn api<K>(&self) -> Api<K>
    where
        K: Resource<DynamicType = ()>,
        K::Scope: Reach,
    {
        K::Scope::api(self.client.clone(), self.namespace.as_deref())
    }

    /// The namespace, where it is one.
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// Limits a watch to the children that this operator manages.
    #[must_use]
    pub fn children(&self) -> watcher::Config {
        watcher::Config::default().labels(&labels::managed())
    }
}

/// What the scope of a kind means for reaching its objects.
pub trait Reach: Sized {
    /// Where a controller of such a kind watches.
    fn scopes(client: &Client, namespaces: &WatchNamespaces) -> Vec<Scope>;

    /// The `Api` of such a kind.
    fn api<K>(client: Client, namespace: Option<&str>) -> Api<K>
    where
        K: Resource<DynamicType = (), Scope = Self>;
}

impl Reach for NamespaceResourceScope {
    // A loop for each namespace: permission to list the whole cluster is then not needed.
    fn scopes(client: &Client, namespaces: &WatchNamespaces) -> Vec<Scope> {
        let scope = |namespace| Scope {
            client: client.clone(),
            namespace,
        };
        if namespaces.0.is_empty() {
            return vec![scope(None)];
        }
        namespaces.0.iter().cloned().map(Some).map(scope).collect()
    }

    fn api<K>(client: Client, namespace: Option<&str>) -> Api<K>
    where
        K: Resource<DynamicType = (), Scope = Self>,
    {
        match namespace {
            Some(namespace) => Api::namespaced(client, namespace),
            None => Api::all(client),
        }
    }
}

impl Reach for ClusterResourceScope {
    // The children of a cluster-scoped object are in the operator's own namespace.
    fn scopes(client: &Client, _: &WatchNamespaces) -> Vec<Scope> {
        let namespace = client.default_namespace().to_owned();
        vec![Scope {
            client: client.clone(),
            namespace: Some(namespace),
        }]
    }

    fn api<K>(client: Client, _: Option<&str>) -> Api<K>
    where
        K: Resource<DynamicType = (), Scope = Self>,
    {
        Api::all(client)
    }
}

#[cfg(test)]
mod tests {
    use super::WatchNamespaces;

    #[test]
    fn namespaces_are_a_list_and_none_means_all() {
        let parse = |list: &str| list.parse::<WatchNamespaces>().unwrap().0;
        assert!(parse("").is_empty());
        assert!(parse(" , ").is_empty());
        assert_eq!(parse("a, b,a").into_iter().collect::<Vec<_>>(), ["a", "b"]);
    }
}
