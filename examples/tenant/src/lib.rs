//! The operator as a library: what it runs, and what that shares.

pub mod billing;
pub mod controller;
pub mod identity;
pub mod readiness;
pub mod state;
pub mod sweep;
pub mod webhook;

use tenant_operator_api::platform::v1::Tenant;

use rop_runtime::{Manager, RunsOn};

pub use identity::IDENTITY;
pub use state::State;

/// Adds all that the operator runs to the manager. `main.rs` and the simulation call this, so
/// [tasks](Manager::task), [metrics](Manager::metrics) and [checks](Manager::ready_check) of your
/// own belong here.
pub fn register(manager: &mut Manager<State>) {
    controller::register(manager);
    webhook::register(manager);
    // The webhook looks for duplicates, in every replica.
    manager.reads::<Tenant>();
    manager.task("sweep", RunsOn::Leader, sweep::sweep);
    readiness::register(manager);
}
