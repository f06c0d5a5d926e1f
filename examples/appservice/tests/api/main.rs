// Owned by rop: its commands rewrite this file, so make changes elsewhere [aee77f23039d]
// SPDX-FileCopyrightText: developer
// SPDX-License-Identifier: Apache-2.0

//! Tests of the API types, with a module for each kind.

// Reuses the code that rop-runtime compiled for the types of Kubernetes.
use rop_runtime as _;

mod crd;

mod app {
    mod v1 {
        mod app_service;
    }
}
