//! The watched namespaces, and the `Api` for a kind in them.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::str::FromStr;

use kube::core::{ClusterResourceScope, DynamicResourceScope, NamespaceResourceScope};
use kube::{Api, Client, Resource};

use crate::sealed::Sealed;

/// The namespaces to watch, or all if empty.
///
/// ```
/// use rop_runtime::{Options, WatchNamespaces};
///
/// let options = Options {
///     watch_namespace: "shop,cart".parse().unwrap(),
///     ..Options::default()
/// };
/// assert_ne!(options.watch_namespace, WatchNamespaces::default());
/// ```
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

impl WatchNamespaces {
    /// Where to watch: in each of these namespaces, which needs no permission to list the whole cluster, or in all.
    /// Cluster-scoped objects (`namespaced` is false) are always watched in all.
    pub(crate) fn scopes(&self, namespaced: bool) -> Vec<Option<String>> {
        if self.0.is_empty() || !namespaced {
            return vec![None];
        }
        self.0.iter().cloned().map(Some).collect()
    }
}

/// The scope of the type of a [`Child`](crate::Child), as far as it is known at compile time.
///
/// ```
/// use k8s_openapi::api::core::v1::{ConfigMap, Node};
/// use kube::Resource;
/// use rop_runtime::ChildScope;
///
/// assert!(<ConfigMap as Resource>::Scope::NAMESPACED);
/// assert!(!<Node as Resource>::Scope::NAMESPACED);
/// ```
pub trait ChildScope: Sealed {
    /// Whether objects of the type have a namespace.
    const NAMESPACED: bool;
}

impl ChildScope for NamespaceResourceScope {
    const NAMESPACED: bool = true;
}

impl ChildScope for ClusterResourceScope {
    const NAMESPACED: bool = false;
}

/// Not used: the scope of a type that is only known at run time is part of its discovery.
impl ChildScope for DynamicResourceScope {
    const NAMESPACED: bool = true;
}

/// Determines the `Api` for a kind from its scope.
///
/// ```
/// use kube::{Api, Client, Resource};
/// use rop_runtime::Reach;
///
/// /// The API of an object's own kind, namespaced or cluster-scoped.
/// fn beside<K>(client: Client, object: &K) -> Api<K>
/// where
///     K: Resource<DynamicType = (), Scope: Reach>,
/// {
///     K::Scope::api(client, object.meta().namespace.as_deref())
/// }
/// ```
pub trait Reach: ChildScope + Sized {
    /// Returns the `Api` of such a kind.
    fn api<K>(client: Client, namespace: Option<&str>) -> Api<K>
    where
        K: Resource<DynamicType = (), Scope = Self>;
}

impl Reach for NamespaceResourceScope {
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
