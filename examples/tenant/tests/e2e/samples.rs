// Owned by rop: its commands rewrite this file, so make changes elsewhere [ff42812d1da2]
//! The samples that the tests use: files in `config/samples/`.

#![allow(dead_code, reason = "the tests need not use all of them")]

/// The namespace of the samples.
pub const NAMESPACE: &str = "default";

/// The samples that the operator makes ready.
pub const READY: &[&str] = &["platform_v1_tenant.yaml"];

/// The samples of kinds with a validating webhook.
pub const VALIDATED: &[&str] = &["platform_v1_tenant.yaml"];
