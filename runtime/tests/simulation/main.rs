//! The library in simulated clusters, under an operator that uses most of it.

#![cfg(feature = "testing")]

mod beside;
mod digest;
mod found;
mod kinds;
mod left;
mod operator;
mod plain;
mod right;
mod rules;
mod teeth;
#[cfg(feature = "webhook")]
mod webhooks;

use std::time::Duration;

use rop_runtime::simulation::Simulation;

const MINUTE: Duration = Duration::from_secs(60);

/// Every seed of the operator holds.
#[test]
fn an_operator_holds_in_every_seed() {
    simulation().seeds(0..40).run();
}

fn simulation() -> Simulation {
    Simulation::new(operator::IDENTITY, operator::register, || ())
        .crds(kinds::crds())
        .objects(kinds::objects())
        .given(kinds::given())
        .eventually("children are as specs ask", MINUTE * 20, rules::children)
}
