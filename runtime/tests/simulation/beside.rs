//! A program that does not use the library, in the same clusters.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rop_runtime::simulation::{Outcome, Simulation, World};

use crate::operator::IDENTITY;
use crate::right::right;
use crate::{MINUTE, kinds, plain, simulation};

/// The default number of compared seeds.
const SEEDS: u64 = 400;

fn on_kube_alone() -> Simulation {
    Simulation::of_program(IDENTITY, plain::run)
        .crds(kinds::crds())
        .objects(kinds::objects())
        .given(kinds::given())
}

#[test]
fn an_operator_on_kube_alone_runs() {
    let simulated = on_kube_alone().eventually("all is right", MINUTE * 20, right);
    let outcome = simulated.simulate(&simulated.plan(0));
    assert!(outcome.broken.is_none(), "{:?}", outcome.broken);
    assert!(outcome.figures.changes > 0, "{:?}", outcome.figures);
    // The invariants of the test are checked.
    let refused = on_kube_alone().always("never", |_| Err("on purpose".to_owned()));
    let outcome = refused.simulate(&refused.plan(0));
    let broken = outcome.broken.map(|broken| broken.invariant);
    assert_eq!(broken.as_deref(), Some("never"));
}

/// When the faults ended, and the last time that an invariant did not hold.
#[derive(Default)]
struct Moments {
    calm: Duration,
    wrong: Duration,
}

/// The same seeds under both: `cargo test -p rop-runtime --all-features --test simulation beside -- --ignored
/// --nocapture`.
#[test]
#[ignore = "takes minutes in an optimised build, and hours in a dev build"]
fn ours_beside_one_on_kube_alone() {
    let seeds = std::env::var("SEEDS").map_or(SEEDS, |seeds| seeds.parse().expect("a number"));
    let mut sums = ["ours", "kube alone"].map(Sum::of);
    for seed in 0..seeds {
        for (sum, simulation) in sums.iter_mut().zip([simulation(), on_kube_alone()]) {
            sum.add(seed, simulation);
        }
    }
    println!(
        "{:<10} {:>6} {:>9} {:>7} {:>8} {:>11} {:>12} {:>8}",
        "", "right", "requests", "writes", "changes", "intrusions", "until right", "longest"
    );
    for sum in &sums {
        sum.print(seeds);
    }
    assert_eq!(sums[0].right, seeds, "ours is right in every seed");
}

/// The totals of all seeds.
#[derive(Default)]
struct Sum {
    name: &'static str,
    right: u64,
    requests: u64,
    writes: u64,
    changes: u64,
    intrusions: u64,
    /// The times from the end of the faults until the invariants held, if they finally did.
    waits: Vec<Duration>,
}

impl Sum {
    fn of(name: &'static str) -> Self {
        Self {
            name,
            ..Self::default()
        }
    }

    fn add(&mut self, seed: u64, simulation: Simulation) {
        let (outcome, moments) = timed(seed, simulation);
        match &outcome.broken {
            None => {
                self.right += 1;
                self.waits.push(moments.wrong.saturating_sub(moments.calm));
            }
            Some(broken) => println!("{}, seed {seed}: {broken}", self.name),
        }
        self.requests += outcome.figures.requests;
        self.writes += outcome.figures.writes;
        self.changes += outcome.figures.changes;
        self.intrusions += outcome.figures.intrusions;
    }

    fn print(&self, seeds: u64) {
        let waits = self.waits.iter();
        let longest = waits.clone().max().copied().unwrap_or_default();
        let count = u32::try_from(self.waits.len()).unwrap_or(u32::MAX).max(1);
        println!(
            "{:<10} {:>6} {:>9} {:>7} {:>8} {:>11} {:>12.1?} {:>8.1?}",
            self.name,
            self.right,
            self.requests / seeds,
            self.writes / seeds,
            self.changes / seeds,
            self.intrusions,
            waits.sum::<Duration>() / count,
            longest,
        );
    }
}

/// Simulates a seed with one replica, and records when the invariants hold.
fn timed(seed: u64, simulation: Simulation) -> (Outcome, Moments) {
    let moments = Arc::<Mutex<Moments>>::default();
    let noted = Arc::clone(&moments);
    let note = move |world: &World| {
        let mut moments = noted.lock().expect("one thread");
        if !world.is_calm() {
            moments.calm = world.elapsed();
        }
        if right(world).is_err() {
            moments.wrong = world.elapsed();
        }
        Ok(())
    };
    let simulation = simulation
        .eventually("all is right", MINUTE * 20, right)
        .always("it is noted what is right", note);
    let mut plan = simulation.plan(seed);
    plan.replicas = 1;
    let outcome = simulation.simulate(&plan);
    let moments = std::mem::take(&mut *moments.lock().expect("one thread"));
    (outcome, moments)
}
