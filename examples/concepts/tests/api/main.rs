// Owned by rop: its commands rewrite this file, so make changes elsewhere [0a6d3341447a]
//! The API types, with a module for each kind.

// What reads and writes Kubernetes' own types is compiled with it, once for all.
use rop_runtime as _;

mod crd;

mod cloud {
    mod v1alpha1 {
        mod instance;
    }
}
