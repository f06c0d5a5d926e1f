// Owned by rop: its commands rewrite this file, so make changes elsewhere [6e5a4568eb0a]
//! The API types, with a module for each kind.

// What reads and writes Kubernetes' own types is compiled with it, once for all.
use rop_runtime as _;

mod crd;
mod support;

mod mycompany {
    mod v1 {
        mod app;
    }
}
