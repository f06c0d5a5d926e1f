// Owned by rop: its commands rewrite this file, so make changes elsewhere [aea706755e53]
// SPDX-FileCopyrightText: developer
// SPDX-License-Identifier: Apache-2.0

//! All controllers of this operator.

pub mod app_service;

use rop_runtime::Manager;

use crate::State;

// The runtime publishes events.
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/// Adds all controllers to the manager.
pub fn register(manager: &mut Manager<State>) {
    app_service::register(manager);
}
