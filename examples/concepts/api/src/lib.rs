// Owned by rop: its commands rewrite this file, so make changes elsewhere [d4e38308c989]
//! The API types of instance-operator, in a separate crate: the CRDs are generated without building the
//! operator, and other programs can depend on the types.

pub mod cloud;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt as _;

/// Returns the `CustomResourceDefinition` of every kind.
#[must_use]
pub fn crds() -> Vec<CustomResourceDefinition> {
    vec![cloud::v1alpha1::Instance::crd()]
}
