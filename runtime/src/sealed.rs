//! Seals traits, so that they can change.

use kube::api::ApiResource;
use kube::core::{ClusterResourceScope, DynamicResourceScope, NamespaceResourceScope};

/// Implemented only by this library.
pub trait Sealed {}

impl Sealed for () {}
impl Sealed for ApiResource {}
impl Sealed for ClusterResourceScope {}
impl Sealed for DynamicResourceScope {}
impl Sealed for NamespaceResourceScope {}
