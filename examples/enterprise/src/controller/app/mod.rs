//! The controller of `App`: what it watches. [`reconcile`] does the work, with what
//! [`resources`] and [`status`] compute.

pub mod reconcile;
pub mod resources;
pub mod status;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Service};

use crate::runtime::Manager;

/// Starts the controller, which watches its own kind and what it owns.
pub fn start(manager: &mut Manager) {
    manager
        .controller(reconcile::reconcile)
        .owns::<ConfigMap>()
        .owns::<Deployment>()
        .owns::<Service>()
        .start();
}
