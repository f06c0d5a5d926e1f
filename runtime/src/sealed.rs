//! What keeps traits to the types that they are meant for, so that they can change.

use kube::api::ApiResource;
use kube::core::{ClusterResourceScope, DynamicResourceScope, NamespaceResourceScope};

/// A type of this library's own choice.
pub trait Sealed {}

impl Sealed for () {}
impl Sealed for ApiResource {}
impl Sealed for ClusterResourceScope {}
impl Sealed for DynamicResourceScope {}
impl Sealed for NamespaceResourceScope {}
