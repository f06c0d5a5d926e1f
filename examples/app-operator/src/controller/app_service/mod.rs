//! The `AppService` controller: what it watches, and the functions that it calls.

#[cfg(test)]
mod fixture;
pub mod reconcile;
pub mod resources;
pub mod status;

use k8s_openapi::api::core::v1::Pod;
use rop_runtime::Manager;

use crate::State;

/// Adds the controller to the manager.
pub fn register(manager: &mut Manager<State>) {
    manager
        .controller(reconcile::reconcile)
        .owns::<Pod>()
        .on_failure(status::failed)
        .start();
}
