//! Manifests from a project's code: CRDs from its types, roles from its markers.

mod crd;
mod crdgen;
mod rbac;
mod role;

pub use crd::crds;
pub use role::role;
