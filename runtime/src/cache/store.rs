//! The read interface of a cache.

use std::sync::Arc;

use kube::Resource;

use super::{Cache, Index};
use crate::Error;
use crate::key::Key;

/// The cached objects of a type. Reads make no requests.
///
/// The cache is eventually consistent with the API server. For a type that the controller owns
/// whole, your own writes by [`Context::apply`](crate::Context::apply) are visible immediately. For
/// irreversible decisions, ask the API server through [`Context::client`](crate::Context).
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use rop_runtime::{Index, Store};
///
/// /// Pods by the node that they run on.
/// const BY_NODE: Index<Pod> = Index::new("node", |pod| {
///     let spec = pod.spec.as_ref();
///     spec.and_then(|spec| spec.node_name.clone()).into_iter().collect()
/// });
///
/// fn is_idle(pods: &Store<Pod>, node: &str) -> bool {
///     pods.by(&BY_NODE, node).is_empty()
/// }
/// ```
pub struct Store<T>(pub(crate) Arc<Cache<T>>);

impl<T> Clone for Store<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Resource<DynamicType = ()>> Store<T> {
    /// Returns the object with this name.
    ///
    /// # Errors
    /// Returns a terminal error with the reason `<Kind>Missing` if the object does not exist. If
    /// the controller [refers to](crate::ControllerBuilder::refers_to) the type, return this error
    /// for a missing reference: the object is reconciled again when the referenced object is
    /// created.
    pub fn require(&self, namespace: Option<&str>, name: &str) -> Result<Arc<T>, Error> {
        self.get(namespace, name).ok_or_else(|| {
            let kind = T::kind(&());
            let message = format!("the {kind} `{}` does not exist", Key::new(namespace, name));
            Error::terminal(format!("{kind}Missing"), message)
        })
    }
}

impl<T: Resource> Store<T> {
    /// Returns the object with this name, if it exists. Cluster-scoped objects have no namespace.
    pub fn get(&self, namespace: Option<&str>, name: &str) -> Option<Arc<T>> {
        self.0.get(&Key::new(namespace, name))
    }

    /// Returns all objects, ordered by namespace and name.
    pub fn list(&self) -> Vec<Arc<T>> {
        self.0.list()
    }

    /// Returns the objects with this key in an index, ordered by namespace and name.
    pub fn by(&self, index: &Index<T>, key: &str) -> Vec<Arc<T>>
    where
        T: 'static,
    {
        self.0.by(index, key)
    }
}
