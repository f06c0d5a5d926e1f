// Owned by rop: its commands rewrite this file, so make changes elsewhere [7901f6dad154]
//! Tests of the API types, with a module for each kind.

// Reuses the code that rop-runtime compiled for the types of Kubernetes.
use rop_runtime as _;

mod crd;

mod cloud {
    mod v1alpha1 {
        mod instance;
    }
}
