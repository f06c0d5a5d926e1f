//! The `Tenant` controller: what it watches, and the functions that it calls.

pub mod cleanup;
#[cfg(test)]
pub(crate) mod fixture;
pub mod reconcile;
pub mod resources;
pub mod status;

use tenant_operator_api::platform::v1::Tenant;

use k8s_openapi::api::core::v1::{Namespace, ResourceQuota, Secret};
use k8s_openapi::api::networking::v1::NetworkPolicy;
use k8s_openapi::api::rbac::v1::RoleBinding;
use rop_runtime::{Manager, ObjectRef, Watch};

use crate::State;

/// Selects the Secrets that tenants can use. Other Secrets are not cached.
const SHARED: &str = "platform.example.com/shared=true";

/// Adds the controller to the manager. Namespaces are cached completely; of the other children, only what
/// detects drift.
pub fn register(manager: &mut Manager<State>) {
    manager
        .controller(reconcile::reconcile)
        .owns_whole::<Namespace>()
        .owns_with(Watch::<ResourceQuota>::new().everywhere())
        .owns_with(Watch::<NetworkPolicy>::new().everywhere())
        .owns_with(Watch::<RoleBinding>::new().everywhere())
        .owns_with(Watch::<Secret>::new().everywhere())
        .refers_to_in_with(
            Watch::new().labels(SHARED).everywhere(),
            |tenant: &Tenant| {
                let secret = &tenant.spec.pull_secret;
                [ObjectRef::<Secret>::new(&secret.name).within(&secret.namespace)]
            },
        )
        .on_failure(status::failed)
        .finalizer(cleanup::cleanup)
        .start();
}
