//! The simulation finds each breakage of the library.

use rop_runtime::simulation::Breakage;

#[cfg(feature = "webhook")]
use crate::versions;
use crate::{elsewhere, simulation};

/// The maximum number of seeds until each breakage is found.
const SEEDS: u64 = 500;

/// Found once, in the 124th seed: a write must be late exactly when a term ends that was not renewed.
const RARE: Breakage = Breakage::TermFromAnswer;

#[test]
#[ignore = "takes minutes in an optimised build, and hours in a dev build"]
fn each_breakage_is_found() {
    // To look for one of them alone.
    let only = std::env::var("BREAKAGE").ok();
    let mut missed = Vec::new();
    for breakage in Breakage::ALL {
        let name = format!("{breakage:?}");
        if only.as_ref().is_some_and(|only| *only != name) {
            continue;
        }
        let simulation = match breakage {
            #[cfg(feature = "webhook")]
            Breakage::ReadyWithCaches => versions::simulation(),
            Breakage::ElsewhereUnwatched => elsewhere::simulation(),
            _ => simulation(),
        };
        let simulation = simulation.broken(breakage);
        let found = simulation.first_broken(0..SEEDS);
        match found {
            Some((seed, broken)) => println!("{name:<20} {:>3} seeds: {broken}", seed + 1),
            None if breakage == RARE => println!("{name:<20} not found in {SEEDS} seeds"),
            None => missed.push(name),
        }
    }
    assert!(missed.is_empty(), "not found in {SEEDS} seeds: {missed:?}");
}
