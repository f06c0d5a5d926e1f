// Owned by rop: its commands rewrite this file, so make changes elsewhere [74fd6559eed6]
// SPDX-FileCopyrightText: developer
// SPDX-License-Identifier: Apache-2.0

//! The API types, with a module for each kind.

// What reads and writes Kubernetes' own types is compiled with it, once for all.
use rop_runtime as _;

mod crd;

mod app {
    mod v1 {
        mod app_service;
    }
}
