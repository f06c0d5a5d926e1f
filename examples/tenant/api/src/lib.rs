// Owned by rop: its commands rewrite this file, so make changes elsewhere [78329234da07]
//! The API types of tenant-operator, in a separate crate: the CRDs are generated without building the
//! operator, and other programs can depend on the types.

pub mod platform;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt as _;

/// Returns the `CustomResourceDefinition` of every kind.
#[must_use]
pub fn crds() -> Vec<CustomResourceDefinition> {
    vec![platform::v1::Tenant::crd()]
}
