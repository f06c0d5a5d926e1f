// Owned by rop: its commands rewrite this file, so make changes elsewhere [ad433ca6ac0b]
//! The API types of my-operator, as a crate of their own: manifests are made from it without
//! building the operator, and other programs can depend on it.

pub mod mycompany;

#[cfg(test)]
pub mod testing;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt as _;

/// The `CustomResourceDefinition` of every kind.
#[must_use]
pub fn crds() -> Vec<CustomResourceDefinition> {
    vec![mycompany::v1::App::crd()]
}
