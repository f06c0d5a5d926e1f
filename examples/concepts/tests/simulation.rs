//! The operator in a simulated cluster, in which much goes wrong. `cargo test` runs a few seeds, and
//! `rop simulate` thousands.

use instance_operator::{IDENTITY, State, register};

use rop_runtime::simulation::Simulation;

/// The role, the CRDs, the first objects and any webhooks are those of `config/`.
#[test]
fn simulation() {
    Simulation::new(IDENTITY, register, State::for_tests)
        .config(concat!(env!("CARGO_MANIFEST_DIR"), "/config"))
        .seeds(0..6)
        .run();
}
