// Owned by rop: its commands rewrite this file, so make changes elsewhere [e985ccbd8ebb]
//! Every controller of this operator.

pub mod app_service;

use rop_runtime::Manager;

use crate::State;

// The runtime records events.
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/// Adds every controller to the manager.
pub fn register(manager: &mut Manager<State>) {
    app_service::register(manager);
}
