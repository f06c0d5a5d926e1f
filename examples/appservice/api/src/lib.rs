// Owned by rop: its commands rewrite this file, so make changes elsewhere [6012ddb9d992]
// SPDX-FileCopyrightText: developer
// SPDX-License-Identifier: Apache-2.0

//! The API types of app-operator. They are a crate of their own, so that the CRDs are generated without
//! building the operator, and other programs can depend on it.

pub mod app;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt as _;

/// The `CustomResourceDefinition` of every kind.
#[must_use]
pub fn crds() -> Vec<CustomResourceDefinition> {
    vec![app::v1::AppService::crd()]
}
