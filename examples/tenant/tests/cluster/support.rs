// Owned by rop: its commands rewrite this file, so make changes elsewhere [b7e68410d6cc]
//! The cluster of the tests, and what they send to it: see `rop_runtime::testing`.

#![allow(dead_code, unused_imports, reason = "each kind uses some of it")]

use std::fs;
use std::sync::Arc;

use k8s_openapi::serde::de::DeserializeOwned;
use kube::Resource;
use rop_runtime::testing::{Cluster, unnamed};

pub use rop_runtime::testing::{becomes, create, create_invalid, edit, eventually};

/// The namespace of the operator, and of the children of cluster-scoped objects.
pub const OPERATOR_NAMESPACE: &str = "tenant-operator-system";

/// The namespace of the tests' other objects.
pub const NAMESPACE: &str = "default";

/// The operator on a real API server, which all running tests share. `None` if `KUBEBUILDER_ASSETS` is not set.
pub fn cluster() -> Option<Arc<Cluster>> {
    Cluster::of(env!("CARGO_BIN_EXE_tenant-operator"))
        .config(concat!(env!("CARGO_MANIFEST_DIR"), "/config"))
        .files(env!("CARGO_TARGET_TMPDIR"))
        .shared()
}

/// A sample of `config/samples/`, which the API server will name.
pub fn sample<K: DeserializeOwned + Resource>(file: &str) -> K {
    let path = format!("{}/config/samples/{file}", env!("CARGO_MANIFEST_DIR"));
    unnamed(&fs::read_to_string(path).expect("a sample"))
}
