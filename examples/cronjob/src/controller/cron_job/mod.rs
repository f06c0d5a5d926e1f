//! The `CronJob` controller: what it watches, and the functions that it calls.

#[cfg(test)]
mod fixture;
pub mod jobs;
pub mod plan;
pub mod reconcile;
pub mod resources;
pub mod schedule;
pub mod status;

use k8s_openapi::api::batch::v1::Job;
use rop_runtime::Manager;

use crate::State;

/// Adds the controller to the manager.
pub fn register(manager: &mut Manager<State>) {
    manager
        .controller(reconcile::reconcile)
        .owns_whole::<Job>()
        .on_failure(status::failed)
        .start();
}
