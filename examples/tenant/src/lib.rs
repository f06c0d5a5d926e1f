//! The operator as a library: everything that it runs, and the shared state.

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

/// Adds everything that the operator runs to the manager. Both `main.rs` and the simulation call this,
/// so add your own [tasks](Manager::task), [metrics](Manager::metrics) and
/// [checks](Manager::ready_check) here.
pub fn register(manager: &mut Manager<State>) {
    controller::register(manager);
    webhook::register(manager);
    // For the webhook, which checks for duplicates in every replica.
    manager.reads::<Tenant>();
    manager.task("sweep", RunsOn::Leader, sweep::sweep);
    readiness::register(manager);
}
