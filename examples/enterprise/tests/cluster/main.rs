// Owned by rop: its commands rewrite this file, so make changes elsewhere [5539560e8e45]
//! Tests of the operator on a real API server, with a module for each kind.
//!
//! `make test-cluster` downloads the required binaries. The tests are skipped unless
//! `KUBEBUILDER_ASSETS` names a directory with etcd, kube-apiserver and kubectl.

#![cfg(unix)]

// Reuses the code that rop-runtime compiled for the types of Kubernetes.
use rop_runtime as _;

mod support;

mod app;
