// Owned by rop: its commands rewrite this file, so make changes elsewhere [8cada4775fea]
//! All controllers of this operator.

pub mod plan;
pub mod tenant;

use rop_runtime::Manager;

use crate::State;

// The runtime publishes events.
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/// Adds all controllers to the manager.
pub fn register(manager: &mut Manager<State>) {
    tenant::register(manager);
    plan::register(manager);
}
