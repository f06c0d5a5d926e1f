// Owned by rop: its commands rewrite this file, so make changes elsewhere [a44b433dedae]
// SPDX-FileCopyrightText: developer
// SPDX-License-Identifier: Apache-2.0

//! The samples that the tests use: files in `config/samples/`.

#![allow(dead_code, reason = "the tests need not use all of them")]

/// The namespace of the samples.
pub const NAMESPACE: &str = "default";

/// The samples that the operator makes ready.
pub const READY: &[&str] = &["app_v1_appservice.yaml"];

/// The samples of kinds with a validating webhook.
pub const VALIDATED: &[&str] = &[];
