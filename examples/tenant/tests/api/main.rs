// Owned by rop: its commands rewrite this file, so make changes elsewhere [730f76b2e49e]
//! Tests of the API types, with a module for each kind.

// Reuses the code that rop-runtime compiled for the types of Kubernetes.
use rop_runtime as _;

mod crd;

mod platform {
    mod v1 {
        mod tenant;
    }
}
