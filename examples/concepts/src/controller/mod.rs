// Owned by rop: its commands rewrite this file, so make changes elsewhere [a9d2b252e1a3]
//! All controllers of this operator.

pub mod instance;

use rop_runtime::Manager;

use crate::State;

// The runtime publishes events.
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/// Adds all controllers to the manager.
pub fn register(manager: &mut Manager<State>) {
    instance::register(manager);
}
