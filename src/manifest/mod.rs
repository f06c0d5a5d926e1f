//! Manifests from a project's code: CRDs from its types, roles and webhook configurations from its markers.

mod check;
mod crd;
mod crdgen;
mod csv;
mod external_resource;
mod format;
mod kinds;
mod listed;
mod marker;
mod rbac;
mod role;
mod sources;
mod versions;
mod webhook;

pub(crate) use check::{Problem, constraint_fault, problems as crd_problems};
pub use crd::{Crds, crds, orphans};
pub(crate) use crd::{is_crd, with_versions};
pub(crate) use csv::{Descriptor, KindMarkers, csv_markers};
pub(crate) use listed::{mentioned, unlisted_crds};
pub(crate) use rbac::{Account, Options as RoleOptions};
pub use role::role;
pub(crate) use role::{RulesOfKinds, cluster_scoped, roles, rules_of_kinds};
pub use sources::Sources;
pub(crate) use webhook::{deploys_webhooks, orphaned_webhooks, webhooks};
