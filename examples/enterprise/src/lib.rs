//! The operator as a library: what it runs, and what that shares.

pub mod controller;
pub mod identity;
pub mod state;

use rop_runtime::Manager;

pub use identity::IDENTITY;
pub use state::State;

/// Adds all that the operator runs to the manager. `main.rs` and the simulation call this, so
/// [tasks](Manager::task), [metrics](Manager::metrics) and [checks](Manager::ready_check) of your
/// own belong here.
pub fn register(manager: &mut Manager<State>) {
    controller::register(manager);
}
