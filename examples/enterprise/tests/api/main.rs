// Owned by rop: its commands rewrite this file, so make changes elsewhere [bcf28c4b280a]
//! The API types, with a module for each kind.

mod crd;
mod support;

mod mycompany {
    mod v1 {
        mod app;
    }
}
