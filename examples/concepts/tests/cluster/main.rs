// Owned by rop: its commands rewrite this file, so make changes elsewhere [cd9793e3dea8]
//! The operator against a real API server, with a module for each kind.
//!
//! `make test-cluster` gets what this needs. It is skipped where `KUBEBUILDER_ASSETS` does not name a
//! folder that has etcd, kube-apiserver and kubectl.

#![cfg(unix)]

mod support;

mod instance;
