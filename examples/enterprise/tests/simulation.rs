//! Runs the operator in a simulated cluster with injected faults. `cargo test` runs a few seeds, and
//! `rop simulate` many more.

use my_operator::{IDENTITY, State, register};

use rop_runtime::simulation::Simulation;

/// The role, CRDs, webhooks and sample objects are read from `config/`.
#[test]
fn simulation() {
    Simulation::new(IDENTITY, register, State::for_tests)
        .config(concat!(env!("CARGO_MANIFEST_DIR"), "/config"))
        .seeds(0..6)
        .run();
}
