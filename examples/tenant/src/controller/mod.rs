// Owned by rop: its commands rewrite this file, so make changes elsewhere [8d7ee03e030f]
//! Every controller of this operator.

pub mod plan;
pub mod tenant;

use rop_runtime::Manager;

use crate::State;

// The runtime records events.
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/// Adds every controller to the manager.
pub fn register(manager: &mut Manager<State>) {
    tenant::register(manager);
    plan::register(manager);
}
