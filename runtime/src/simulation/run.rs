//! Runs the simulation of one plan.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::runtime::Builder;

use super::check::{self, END, SILENCE, goes_on};
use super::conventions::{self, Until};
use super::crew::Crew;
use super::fresh::Left;
use super::history::Entry;
use super::permissions::Permission;
use super::plan::Plan;
use super::process::outside;
use super::setup::Setup;
use super::subject::Subject;
use super::world::{Broken, Figures, World};
use super::{RESYNC, around, time};
use crate::breakage;
use crate::testing::api_server::Clock;

/// The time after the faults until everything has converged: the resync, the retry of terminal errors, and the timeout
/// of a silent watch.
const BOUND: Duration = Duration::from_secs(20 * 60);

/// After this time without writes, and if all rules hold, most likely nothing more would happen.
const SETTLED: Duration = Duration::from_secs(150);

/// How often to wait for silence: a timer, such as the end of an object's time to live, may expire just then.
const PATIENCE: usize = 3;

/// The time that a new replica has to acquire the Lease, which was not released, and to reconcile everything.
const FRESH: Duration = Duration::from_secs(80);

/// How long nothing may remain of deleted objects before the check succeeds.
const GONE: Duration = Duration::from_secs(60);

/// The interval of checks whether the calm can end.
const STEP: Duration = Duration::from_secs(5);

/// The number of lines of the history that a failure keeps.
const LINES: usize = 120;

/// The result of a plan.
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
    /// The simulated plan: printed, and set in `SIMULATION_PLAN`, it reproduces the simulation.
    pub plan: Plan,
    /// The first violated invariant. `None` if all hold.
    pub broken: Option<Broken>,
    /// A digest of the history, including every request: equal for every run of the plan.
    pub digest: String,
    /// The requests, reconciles, faults and time of the simulation.
    pub figures: Figures,
    /// The history of the object of the violated invariant, or the complete history if it is kept.
    pub table: String,
    /// Whether minimizing the plan was stopped at its time limit.
    pub is_cut_short: bool,
    /// All events if an invariant is violated, or if the history is kept.
    pub(super) events: Vec<Entry>,
    /// The permissions that requests of the operator needed.
    pub(super) used: BTreeSet<Permission>,
    /// The values of fields for which the API server refused a child.
    pub(super) refused: Vec<String>,
    /// The fields that change what Pods have read, with the workloads that do not roll them out.
    pub(super) outdated: Vec<String>,
}

/// The duration of the calm after the faults.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Calm {
    /// The maximum time for everything to converge.
    Whole,
    /// Until everything seems to have converged.
    Brief,
}

/// Simulates a plan. With `is_kept`, the outcome has the complete history.
///
/// Most of the time would be spent in a calm in which nothing happens any more, so most plans end it early. A violation
/// after a brief calm might have resolved itself, so the plan is simulated again with the whole calm.
pub(super) fn run(setup: &Setup, plan: &Plan, is_kept: bool) -> Outcome {
    if plan.is_brief() {
        let (outcome, calm) = run_with(setup, plan, is_kept, Calm::Brief);
        if outcome.broken.is_none() || calm == Calm::Whole {
            return outcome;
        }
    }
    run_with(setup, plan, is_kept, Calm::Whole).0
}

/// Simulates a plan with this calm. Returns the calm that it had.
fn run_with(setup: &Setup, plan: &Plan, is_kept: bool, calm: Calm) -> (Outcome, Calm) {
    in_runtime(setup, plan, simulate(setup, plan, is_kept, calm))
}

/// Runs a simulation of a plan with its own time and randomness.
pub(super) fn in_runtime<T>(setup: &Setup, plan: &Plan, work: impl Future<Output = T>) -> T {
    fastrand::seed(plan.seed);
    breakage::set(setup.breakage);
    let runtime = Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime without drivers");
    let simulated = runtime.block_on(work);
    // In this order, because dropped tasks may ask for the time.
    drop(runtime);
    breakage::set(None);
    simulated
}

async fn simulate(setup: &Setup, plan: &Plan, is_kept: bool, calm: Calm) -> (Outcome, Calm) {
    let _begun = time::begin(Clock::start());
    let (world, subjects) = setup.world(plan);
    let crew = Crew::new(world.clone(), setup.launch.clone());
    let calm = trouble_and_calm(setup, &world, &crew, &subjects, calm).await;
    if calm.is_some() {
        end(setup, &world, &crew, &subjects).await;
    }
    let outcome = ended(&world, &crew, &subjects, is_kept);
    // A violation before the calm does not depend on its duration.
    (outcome, calm.unwrap_or(Calm::Whole))
}

/// Ends a simulation, and returns its outcome.
pub(super) fn ended(world: &World, crew: &Crew, subjects: &[Subject], is_kept: bool) -> Outcome {
    let broken = world.failure();
    let mut about = BTreeSet::new();
    if let Some(name) = broken.as_ref().and_then(|broken| broken.about.clone()) {
        let meant = subjects.iter();
        let meant = meant.filter(|subject| name.starts_with(&subject.target.name));
        let subject = meant.max_by_key(|subject| subject.target.name.len());
        about.insert(subject.map_or(name, |subject| subject.target.name.clone()));
    }
    let table = match (&broken, is_kept) {
        (_, true) => world.table(),
        (Some(_), false) => world.table_of(&about, LINES),
        (None, false) => String::new(),
    };
    crew.dismiss();
    for process in crew.everyone() {
        world.count_reconciles(process.reconciles());
    }
    world.forget_replicas();
    let digest = world.digest();
    let events = if broken.is_some() || is_kept {
        world.take_events()
    } else {
        Vec::new()
    };
    Outcome {
        plan: world.plan().clone(),
        broken,
        digest,
        figures: world.figures(),
        table,
        is_cut_short: false,
        events,
        used: world.server().used_permissions(),
        refused: world.refused_values(),
        outdated: world.outdated().into_iter().collect(),
    }
}

/// Runs the faults and the calm after them. Returns the calm that it had, unless an invariant was violated.
async fn trouble_and_calm(
    setup: &Setup,
    world: &World,
    crew: &Crew,
    subjects: &[Subject],
    maximum: Calm,
) -> Option<Calm> {
    let replicas = if setup.is_foreign {
        1
    } else {
        world.plan().replicas
    };
    for _ in 0..replicas {
        crew.add();
    }
    around::start(world, crew, subjects);
    for act in &setup.actors {
        outside(act(world.clone()));
    }
    goes_on(setup, world, crew, world.plan().trouble).await?;
    world.calm();
    for process in crew.processes() {
        process.wake();
    }
    around::strangers_leave(world);

    let waits = setup.eventually.iter().map(|(_, within, _)| *within);
    let bound = waits.fold(BOUND, Duration::max).saturating_sub(SILENCE);
    let least = if world.plan().has_resync() {
        RESYNC + SETTLED
    } else {
        SETTLED
    };
    let begun = world.elapsed();
    loop {
        goes_on(setup, world, crew, STEP).await?;
        let calm = world.elapsed().saturating_sub(begun);
        if calm >= bound {
            return Some(Calm::Whole);
        }
        let is_quiet = calm >= least && world.quiet_for() >= SETTLED;
        let is_right = || {
            setup
                .eventually
                .iter()
                .all(|(.., holds)| holds(world).is_ok())
        };
        if maximum == Calm::Brief && is_quiet && is_right() {
            return Some(Calm::Brief);
        }
    }
}

/// Checks the invariants after the calm, then with a new replica, then after everything was deleted. Ends early if an
/// invariant is violated.
pub(super) async fn end(
    setup: &Setup,
    world: &World,
    crew: &Crew,
    subjects: &[Subject],
) -> Option<()> {
    let mut requests = 0;
    let mut work = Until::now(world, crew);
    for _ in 0..PATIENCE {
        work = Until::now(world, crew);
        let before = world.figures().requests;
        goes_on(setup, world, crew, SILENCE).await?;
        requests = world.figures().requests - before;
        if world.quiet_for() >= SILENCE {
            break;
        }
    }
    check::silence(setup, world);
    check::few_requests(world, subjects, requests, SILENCE);
    work.check(world, crew, SILENCE);
    conventions::observed(world, subjects);
    check::probes(world, crew);
    check::statuses(world, subjects);
    for (name, _, holds) in &setup.eventually {
        if let Err(why) = holds(world) {
            world.broken(name, None, why);
        }
    }
    if world.first_broken().is_some() {
        return None;
    }
    let fresh = crew.successor(FRESH);
    crew.dismiss();
    let changes = world.figures().changes;
    fresh.add();
    goes_on(setup, world, &fresh, FRESH).await?;
    check::nothing_was_left(setup, world, world.figures().changes - changes);
    check::claims(setup, world, &fresh, subjects);
    let left = Left::in_world(setup, world, subjects);

    let going = around::end(world, subjects);
    let is_all = going.len() == subjects.len();
    let (until, mut gone) = (world.elapsed() + END, Duration::ZERO);
    while gone < GONE && world.elapsed() < until {
        goes_on(setup, world, &fresh, STEP).await?;
        match check::left(world, &going, is_all) {
            None => gone += STEP,
            Some(_) => gone = Duration::ZERO,
        }
    }
    check::all_gone(world, &going, is_all);
    fresh.dismiss();
    if let Some(left) = left.filter(|_| world.first_broken().is_none()) {
        left.compare(setup, world, subjects, "").await;
    }
    Some(())
}
