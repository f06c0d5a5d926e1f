// Owned by rop: its commands rewrite this file, so make changes elsewhere [eaa778ffcc23]
//! The API types of instance-operator, as a crate of their own: manifests are made from it without
//! building the operator, and other programs can depend on it.

pub mod cloud;

#[cfg(test)]
pub mod testing;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt as _;

/// The `CustomResourceDefinition` of every kind.
#[must_use]
pub fn crds() -> Vec<CustomResourceDefinition> {
    vec![cloud::v1alpha1::Instance::crd()]
}
