//! The controller of `Instance`: what it watches. [`reconcile`] does the work, with what [`status`]
//! computes.

pub mod reconcile;
pub mod status;

use crate::runtime::Manager;

/// Starts the controller. Beside its own kind it watches nothing yet: what it comes to own goes
/// here, as in `.owns::<Deployment>()`.
pub fn start(manager: &mut Manager) {
    manager.controller(reconcile::reconcile).start();
}
