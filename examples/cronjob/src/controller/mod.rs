// Owned by rop: its commands rewrite this file, so make changes elsewhere [0eb7272277db]
//! Every controller of this operator.

pub mod cron_job;

use rop_runtime::Manager;

use crate::State;

// The runtime records events.
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/// Adds every controller to the manager.
pub fn register(manager: &mut Manager<State>) {
    cron_job::register(manager);
}
