// Owned by rop: its commands rewrite this file, so make changes elsewhere [c1732845927c]
//! The API types, with a module for each kind.

// What reads and writes Kubernetes' own types is compiled with it, once for all.
use rop_runtime as _;

mod crd;

mod platform {
    mod v1 {
        mod tenant;
    }
}
