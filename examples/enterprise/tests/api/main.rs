// Owned by rop: its commands rewrite this file, so make changes elsewhere [67daa703e5ab]
//! The API types, with a module for each kind.

// What reads and writes Kubernetes' own types is compiled with it, once for all.
use rop_runtime as _;

mod crd;

mod mycompany {
    mod v1 {
        mod app;
    }
}
