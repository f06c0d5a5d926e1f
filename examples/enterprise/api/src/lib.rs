// Owned by rop: its commands rewrite this file, so make changes elsewhere [46d8e31a5b4d]
//! The API types of my-operator, in a separate crate: the CRDs are generated without building the
//! operator, and other programs can depend on the types.

pub mod mycompany;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt as _;

/// Returns the `CustomResourceDefinition` of every kind.
#[must_use]
pub fn crds() -> Vec<CustomResourceDefinition> {
    vec![mycompany::v1::App::crd()]
}
