//! Manifests from a project's code: CRDs from its types, roles from its markers.

mod crd;
mod crdgen;
mod flat;
mod rbac;
mod role;

pub(crate) use crd::is_crd;
pub use crd::{crds, orphans};
pub use flat::{flat, flat_is_used};
pub use role::role;
