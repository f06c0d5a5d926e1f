// Owned by rop: its commands rewrite this file, so make changes elsewhere [5c37a847a606]
//! The API types of instance-operator. They are a crate of their own, so that the CRDs are generated without
//! building the operator, and other programs can depend on it.

pub mod cloud;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt as _;

/// The `CustomResourceDefinition` of every kind.
#[must_use]
pub fn crds() -> Vec<CustomResourceDefinition> {
    vec![cloud::v1alpha1::Instance::crd()]
}
