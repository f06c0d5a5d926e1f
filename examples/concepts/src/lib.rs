//! The operator as a library: everything that it runs, and the shared state.

pub mod controller;
pub mod identity;
pub mod state;

use rop_runtime::Manager;

pub use identity::IDENTITY;
pub use state::State;

/// Adds everything that the operator runs to the manager. Both `main.rs` and the simulation call this,
/// so add your own [tasks](Manager::task), [metrics](Manager::metrics) and
/// [checks](Manager::ready_check) here.
pub fn register(manager: &mut Manager<State>) {
    controller::register(manager);
}
