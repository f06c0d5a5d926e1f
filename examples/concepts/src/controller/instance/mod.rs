//! The `Instance` controller: what it watches, and the functions that it calls.

#[cfg(test)]
mod fixture;
pub mod reconcile;
pub mod status;

use rop_runtime::Manager;

use crate::State;

/// Adds the controller to the manager. To watch the objects that it creates, add a line such as
/// `.owns::<Deployment>()`.
pub fn register(manager: &mut Manager<State>) {
    manager
        .controller(reconcile::reconcile)
        .on_failure(status::failed)
        .start();
}
