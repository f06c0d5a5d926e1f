// Owned by rop: its commands rewrite this file, so make changes elsewhere [169cc140f2b0]
//! Helpers for the tests on a real API server: see `rop_runtime::testing`.

#![allow(dead_code, unused_imports, reason = "no test module uses all of them")]

use std::fs;
use std::sync::Arc;

use k8s_openapi::serde::de::DeserializeOwned;
use kube::Resource;
use rop_runtime::testing::{Cluster, unnamed};

pub use rop_runtime::testing::{becomes, create, create_invalid, edit, eventually};

/// The namespace of the operator, and of the children of cluster-scoped objects.
pub const OPERATOR_NAMESPACE: &str = "cronjob-system";

/// The namespace of the other objects of the tests.
pub const NAMESPACE: &str = "default";

/// Returns the operator on a real API server, shared by all running tests, or `None` if
/// `KUBEBUILDER_ASSETS` is not set.
pub fn cluster() -> Option<Arc<Cluster>> {
    Cluster::of(env!("CARGO_BIN_EXE_cronjob"))
        .config(concat!(env!("CARGO_MANIFEST_DIR"), "/config"))
        .files(env!("CARGO_TARGET_TMPDIR"))
        .shared()
}

/// Reads a sample from `config/samples/`, without its name: the API server generates one.
pub fn sample<K: DeserializeOwned + Resource>(file: &str) -> K {
    let path = format!("{}/config/samples/{file}", env!("CARGO_MANIFEST_DIR"));
    unnamed(&fs::read_to_string(path).expect("a sample"))
}
