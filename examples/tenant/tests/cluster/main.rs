// Owned by rop: its commands rewrite this file, so make changes elsewhere [ddc3e6b65208]
//! The operator against a real API server, with a module for each kind.
//!
//! `make test-cluster` downloads what this needs. The tests are skipped if `KUBEBUILDER_ASSETS` does
//! not name a folder with etcd, kube-apiserver and kubectl.

#![cfg(unix)]

// What reads and writes Kubernetes' own types is compiled with it, once for all.
use rop_runtime as _;

mod support;

mod plan;
mod tenant;
