// Owned by rop: its commands rewrite this file, so make changes elsewhere [6c9f03a0d451]
//! The API types, with a module for each kind.

// What reads and writes Kubernetes' own types is compiled with it, once for all.
use rop_runtime as _;

mod crd;

mod app {
    mod v1alpha1 {
        mod app_service;
    }
}
