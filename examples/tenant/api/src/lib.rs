// Owned by rop: its commands rewrite this file, so make changes elsewhere [2d7b8da94297]
//! The API types of tenant-operator. They are a crate of their own, so that the CRDs are generated without
//! building the operator, and other programs can depend on it.

pub mod platform;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt as _;

/// The `CustomResourceDefinition` of every kind.
#[must_use]
pub fn crds() -> Vec<CustomResourceDefinition> {
    vec![platform::v1::Tenant::crd()]
}
