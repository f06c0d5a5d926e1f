//! The `App` controller: what it watches, and the functions that it calls.

#[cfg(test)]
mod fixture;
pub mod reconcile;
pub mod resources;
pub mod status;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Service};
use rop_runtime::Manager;

use crate::State;

/// Adds the controller to the manager.
pub fn register(manager: &mut Manager<State>) {
    manager
        .controller(reconcile::reconcile)
        .owns::<ConfigMap>()
        .owns::<Deployment>()
        .owns::<Service>()
        .on_failure(status::failed)
        .start();
}
