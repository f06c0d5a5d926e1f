//! Manifests from a project's code: CRDs from its types, roles from its markers.

mod crd;
mod crdgen;
mod deploy_folder;
mod marker;
mod rbac;
mod role;

pub(crate) use crd::is_crd;
pub use crd::{crds, orphans};
pub use deploy_folder::{deploy_crds, deploy_role, has_deploy_folder};
pub use role::role;
