//! The operator beside one of the same logic on kube alone, in the same clusters.
//!
//! `cargo test --package rop-runtime --all-features --test simulation -- --ignored --nocapture beside`, with
//! the number of seeds in `BESIDE_SEEDS`.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rop_runtime::simulation::{Simulation, World};

use crate::operator::{IDENTITY, register};
use crate::{MINUTE, kinds, plain, rules};

/// When the faults ended, and when something was wrong for the last time.
#[derive(Clone, Copy, Default)]
struct Times {
    calm: Option<Duration>,
    wrong: Duration,
}

#[test]
#[ignore = "a comparison, which takes minutes"]
fn ours_is_right_wherever_kube_alone_is() {
    let seeds = std::env::var("BESIDE_SEEDS").map_or(100, |text| text.parse().expect("a number"));
    let ours = || Simulation::new(IDENTITY, register, || ());
    let alone = || Simulation::of_program(IDENTITY, plain::run);
    let is_right = compare("this library", seeds, &ours);
    compare("kube alone", seeds, &alone);
    assert!(is_right, "an object was left wrong");
}

/// Prints what becomes of an operator in these seeds. Returns whether every object is right in all of them.
fn compare(name: &str, seeds: u64, simulation: &dyn Fn() -> Simulation) -> bool {
    let (mut right, mut writes, mut requests) = (0, 0, 0);
    let mut waits = Vec::new();
    for seed in 0..seeds {
        let times = Arc::new(Mutex::new(Times::default()));
        let noted = Arc::clone(&times);
        let simulation = simulation()
            .crds(kinds::crds())
            .objects(kinds::objects())
            .given(kinds::given())
            .always("when it is right", move |world: &World| {
                let mut times = noted.lock().unwrap_or_else(PoisonError::into_inner);
                if world.is_calm() && times.calm.is_none() {
                    times.calm = Some(world.elapsed());
                }
                if rules::right(world).is_err() {
                    times.wrong = world.elapsed();
                }
                Ok(())
            })
            .eventually("every object is right", MINUTE * 20, rules::right);
        let outcome = simulation.simulate(&simulation.plan(seed));
        match outcome.broken {
            None => right += 1,
            Some(broken) => println!("{name}, seed {seed}: {broken}"),
        }
        writes += outcome.figures.writes;
        requests += outcome.figures.requests;
        let times = *times.lock().unwrap_or_else(PoisonError::into_inner);
        waits.push(times.wrong.saturating_sub(times.calm.unwrap_or_default()));
    }
    waits.sort();
    let of = |part: usize| waits[waits.len() * part / 100].as_secs();
    println!(
        "{name}: right in {right} of {seeds}; a seed has {} writes and {} requests; after the faults all is \
         right within {} s in half of them, and {} s in nine of ten",
        writes / seeds,
        requests / seeds,
        of(50),
        of(90),
    );
    right == seeds
}
