// Owned by rop: its commands rewrite this file, so make changes elsewhere [0eb1996eab60]
//! Every controller of this operator.

pub mod instance;

use rop_runtime::Manager;

use crate::State;

// The runtime records events.
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/// Adds every controller to the manager.
pub fn register(manager: &mut Manager<State>) {
    instance::register(manager);
}
