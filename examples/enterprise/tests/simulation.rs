//! The operator in a simulated cluster, in which much goes wrong. `cargo test` runs a few seeds, and
//! `rop simulate` thousands.

use my_operator::{IDENTITY, State, controller};

use rop_runtime::simulation::Simulation;

/// Role, CRDs and first objects are those of `config/`.
#[test]
fn simulation() {
    Simulation::new(IDENTITY, controller::register, State::default)
        .config(concat!(env!("CARGO_MANIFEST_DIR"), "/config"))
        .seeds(0..6)
        .run();
}
