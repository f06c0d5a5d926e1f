// Owned by rop: its commands rewrite this file, so make changes elsewhere [5866eea5a6d0]
//! The API types of app-operator, as a crate of their own: manifests are made from it without
//! building the operator, and other programs can depend on it.

pub mod app;

#[cfg(test)]
pub mod testing;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt as _;

/// The `CustomResourceDefinition` of every kind.
#[must_use]
pub fn crds() -> Vec<CustomResourceDefinition> {
    vec![app::v1alpha1::AppService::crd()]
}
