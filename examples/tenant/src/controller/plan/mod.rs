//! An additional `Tenant` controller: what it watches, and the function that it calls.

pub mod reconcile;

use k8s_openapi::api::core::v1::{Namespace, ResourceQuota};
use rop_runtime::{Manager, Watch};

use crate::State;

/// Adds the controller to the manager. Its name is part of its field manager.
pub fn register(manager: &mut Manager<State>) {
    manager
        .controller(reconcile::reconcile)
        .named("plan")
        .owns_whole::<Namespace>()
        .owns_with(Watch::<ResourceQuota>::new().everywhere())
        .start();
}
