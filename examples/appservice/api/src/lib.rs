// Owned by rop: its commands rewrite this file, so make changes elsewhere [0e3420af1952]
// SPDX-FileCopyrightText: developer
// SPDX-License-Identifier: Apache-2.0

//! The API types of app-operator, in a separate crate: the CRDs are generated without building the
//! operator, and other programs can depend on the types.

pub mod app;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt as _;

/// Returns the `CustomResourceDefinition` of every kind.
#[must_use]
pub fn crds() -> Vec<CustomResourceDefinition> {
    vec![app::v1::AppService::crd()]
}
