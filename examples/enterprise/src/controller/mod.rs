// Owned by rop: its commands rewrite this file, so make changes elsewhere [bb4375a068cd]
//! All controllers of this operator.

pub mod app;

use rop_runtime::Manager;

use crate::State;

// The runtime publishes events.
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/// Adds all controllers to the manager.
pub fn register(manager: &mut Manager<State>) {
    app::register(manager);
}
