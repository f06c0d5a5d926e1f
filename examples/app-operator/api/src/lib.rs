// Owned by rop: its commands rewrite this file, so make changes elsewhere [d7f6567b5468]
//! The API types of app-operator. They are a crate of their own, so that the CRDs are generated without
//! building the operator, and other programs can depend on it.

pub mod app;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt as _;

/// The `CustomResourceDefinition` of every kind.
#[must_use]
pub fn crds() -> Vec<CustomResourceDefinition> {
    vec![app::v1alpha1::AppService::crd()]
}
