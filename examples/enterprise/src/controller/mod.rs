// Owned by rop: its commands rewrite this file, so make changes elsewhere [3e34b36fcb18]
//! Every controller of this operator.

pub mod app;

use rop_runtime::Manager;

use crate::State;

// The runtime records events.
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/// Adds every controller to the manager.
pub fn register(manager: &mut Manager<State>) {
    app::register(manager);
}
