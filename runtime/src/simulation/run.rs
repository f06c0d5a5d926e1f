//! The simulation of one plan, from its beginning to its end.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::time::sleep;

use super::check::{self, END, SILENCE};
use super::crew::Crew;
use super::plan::Plan;
use super::process::outside;
use super::setup::Setup;
use super::subject::Subject;
use super::world::{Broken, Figures, World};
use super::{around, time};
use crate::breakage;

/// After the faults, everything is right after so long: the resync, the retry of what is terminal, and a
/// watch that went silent.
const BOUND: Duration = Duration::from_secs(25 * 60);

/// How long a new replica has to look at everything.
const FRESH: Duration = Duration::from_secs(60);

/// How many lines of the history are kept of a failure.
const LINES: usize = 120;

/// What came of a plan.
///
/// ```
/// # use rop_runtime::simulation::Simulation;
/// # fn test(simulation: Simulation) {
/// let outcome = simulation.simulate(&simulation.plan(7));
/// assert!(outcome.broken.is_none(), "{outcome}");
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The plan.
    pub plan: Plan,
    /// The first invariant that did not hold.
    pub broken: Option<Broken>,
    /// The same for the same history, to the last request.
    pub digest: String,
    /// What happened, in numbers.
    pub figures: Figures,
    /// What happened to the object that the broken invariant is about, or all that happened if that is kept.
    pub table: String,
}

/// Simulates a plan. If the history is to be kept, all of it is in the outcome.
pub(super) fn run(setup: &Setup, plan: &Plan, is_kept: bool) -> Outcome {
    fastrand::seed(plan.seed);
    breakage::set(setup.breakage);
    let runtime = Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    let runtime = runtime.expect("a runtime without drivers");
    let outcome = runtime.block_on(simulate(setup, plan, is_kept));
    // In this order: tasks that are dropped may ask for the time.
    drop(runtime);
    breakage::set(None);
    outcome
}

async fn simulate(setup: &Setup, plan: &Plan, is_kept: bool) -> Outcome {
    let _begun = time::begin();
    let (world, subjects) = setup.world(plan);
    let crew = Crew::new(world.clone(), setup.launch.clone());
    story(setup, &world, &crew, &subjects).await;
    let broken = world.first_broken();
    let mut about = BTreeSet::new();
    if let Some(name) = broken.as_ref().and_then(|broken| broken.about.clone()) {
        let subject = subjects
            .iter()
            .find(|subject| name.starts_with(&subject.target.name));
        about.insert(subject.map_or(name, |subject| subject.target.name.clone()));
    }
    let table = match (&broken, is_kept) {
        (_, true) => world.table(&BTreeSet::new(), usize::MAX),
        (Some(_), false) => world.table(&about, LINES),
        (None, false) => String::new(),
    };
    crew.dismiss();
    for process in crew.everyone() {
        world.count_reconciles(process.reconciles());
    }
    Outcome {
        plan: plan.clone(),
        broken,
        digest: world.digest(),
        figures: world.figures(),
        table,
    }
}

/// What happens, until an invariant is broken.
async fn story(setup: &Setup, world: &World, crew: &Crew, subjects: &[Subject]) {
    let replicas = match setup.is_foreign {
        true => 1,
        false => world.plan().replicas,
    };
    for _ in 0..replicas {
        crew.add();
    }
    around::start(world, crew, subjects);
    for act in &setup.actors {
        outside(act(world.clone()));
    }
    if !goes_on(setup, world, crew, world.plan().trouble).await {
        return;
    }
    world.calm();
    for process in crew.processes() {
        process.wake();
    }
    around::strangers_leave(world);
    let waits = setup.eventually.iter().map(|(_, within, _)| *within);
    let bound = waits.fold(BOUND, Duration::max);
    if !goes_on(setup, world, crew, bound.saturating_sub(SILENCE)).await {
        return;
    }
    let requests = world.figures().requests;
    if !goes_on(setup, world, crew, SILENCE).await {
        return;
    }
    check::silence(world, world.figures().requests - requests);
    check::probes(world, crew);
    check::said(world, subjects);
    for (name, _, holds) in &setup.eventually {
        if let Err(why) = holds(world) {
            world.violated(name, None, why);
        }
    }
    if world.first_broken().is_some() {
        return;
    }
    crew.dismiss();
    let fresh = crew.successor();
    let changes = world.figures().changes;
    fresh.add();
    let lease = Duration::from_secs(20);
    if !goes_on(setup, world, &fresh, lease + FRESH).await {
        return;
    }
    check::nothing_was_left(world, world.figures().changes - changes);
    around::end(world, subjects);
    if !goes_on(setup, world, &fresh, END).await {
        return;
    }
    check::all_gone(world, subjects);
    fresh.dismiss();
}

/// Lets time pass, unless an invariant is broken.
async fn goes_on(setup: &Setup, world: &World, crew: &Crew, length: Duration) -> bool {
    let end = world.elapsed() + length;
    while world.elapsed() < end {
        let step = Duration::from_secs(if world.is_calm() { 5 } else { 1 });
        sleep(step.min(end.saturating_sub(world.elapsed()))).await;
        check::always(world, crew);
        for (name, holds) in &setup.always {
            if let Err(why) = holds(world) {
                world.violated(name, None, why);
            }
        }
        if world.first_broken().is_some() {
            return false;
        }
    }
    true
}
