//! Manifests from a project's code: CRDs from its types, roles and webhook configurations from its markers.

mod check;
mod crd;
mod crdgen;
mod deploy_folder;
mod external_resource;
mod format;
mod kinds;
mod marker;
mod rbac;
mod role;
mod sources;
mod versions;
mod webhook;

pub use crd::{Crds, crds, orphans};
pub(crate) use crd::{is_crd, with_versions};
pub use deploy_folder::{deploy_crds, deploy_policies, deploy_roles, has_deploy_folder};
pub use role::role;
pub use sources::Sources;
pub(crate) use webhook::{deploys_webhooks, orphaned_webhooks, webhooks};
