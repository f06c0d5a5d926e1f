//! What a kind must be for a controller to handle it. Every kind of this project and of Kubernetes is.

use std::fmt::Debug;

use kube::Resource;
use kube::core::NamespaceResourceScope;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Reach;

/// A kind that has a controller.
pub trait Primary:
    Clone + Debug + DeserializeOwned + Resource<DynamicType = (), Scope: Reach> + Send + Sync + 'static
{
}

impl<K> Primary for K where
    K: Clone
        + Debug
        + DeserializeOwned
        + Resource<DynamicType = (), Scope: Reach>
        + Send
        + Sync
        + 'static
{
}

/// A kind that a controller creates.
pub trait Child:
    Clone
    + Debug
    + DeserializeOwned
    + Resource<DynamicType = (), Scope = NamespaceResourceScope>
    + Serialize
    + 'static
{
}

impl<C> Child for C where
    C: Clone
        + Debug
        + DeserializeOwned
        + Resource<DynamicType = (), Scope = NamespaceResourceScope>
        + Serialize
        + 'static
{
}
