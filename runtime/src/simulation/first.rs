//! The cluster without faults that precedes all seeds: an operator whose samples do not get ready there has a mistake
//! that no fault explains.

use std::time::Duration;

use super::check::{self, goes_on};
use super::conventions::{self, Until};
use super::crew::Crew;
use super::plan::Plan;
use super::points;
use super::promises;
use super::ready::{begin, get_ready};
use super::recovery;
use super::run::{Outcome, ended, in_runtime};
use super::setup::Setup;
use super::several;
use super::shapes;
use super::subject::Subject;
use super::time;
use super::world::World;
use crate::testing::api_server::Clock;

/// How long to wait for the silence after the samples got ready, and how long it is observed.
const REST: Duration = Duration::from_secs(60);

/// After this time, the operator has noticed all that the actors of the test have done.
const NOTICED: Duration = Duration::from_secs(20 * 60);

/// Simulates the cluster, with at most so many shapes of fields and points of a crash.
pub(super) fn run(setup: &Setup, most: usize) -> Outcome {
    let plan = Plan::calm(setup.ready_within);
    let mut outcome = in_runtime(setup, &plan, simulate(setup, &plan, most));
    if outcome.broken.is_none() {
        let failed = points::check(setup, &plan, most, &mut outcome.figures);
        if let Some(failed) = failed.or_else(|| several::run(setup)) {
            outcome = Outcome {
                figures: outcome.figures,
                ..failed
            };
        }
    }
    outcome
}

async fn simulate(setup: &Setup, plan: &Plan, most: usize) -> Outcome {
    let _begun = time::begin(Clock::start());
    let (world, crew, subjects) = begin(setup, plan);
    let _ = check(setup, &world, &crew, &subjects, most).await;
    ended(&world, &crew, &subjects, false)
}

/// Checks the operator. Returns `None` if an invariant is violated.
async fn check(
    setup: &Setup,
    world: &World,
    crew: &Crew,
    subjects: &[Subject],
    most: usize,
) -> Option<()> {
    get_ready(setup, world, crew, subjects).await?;
    rest(setup, world, crew, subjects).await?;
    // The status of a program may have conditions by now.
    if world.is_foreign() {
        get_ready(setup, world, crew, subjects).await?;
    }
    promises::check(setup, world, crew, subjects).await?;
    if !setup.actors.is_empty() {
        // What they change outside the cluster is noticed late, by an operator that polls it.
        world.calm();
        goes_on(setup, world, crew, NOTICED).await?;
    }
    recovery::check(setup, world, crew, subjects).await?;
    shapes::check(setup, world, crew, subjects, most).await
}

/// Checks the conventions when all samples are ready.
async fn rest(setup: &Setup, world: &World, crew: &Crew, subjects: &[Subject]) -> Option<()> {
    goes_on(setup, world, crew, REST).await?;
    let work = Until::now(world, crew);
    let before = world.figures().requests;
    goes_on(setup, world, crew, REST).await?;
    work.check(world, crew, REST);
    // Those of other operators are known by their reconciles.
    if world.is_foreign() {
        check::few_requests(world, subjects, world.figures().requests - before, REST);
    }
    conventions::observed(world, subjects);
    any_is_watched(world, subjects)
}

/// An operator that reads no sample most likely does not start its controllers.
fn any_is_watched(world: &World, subjects: &[Subject]) -> Option<()> {
    let Some(first) = subjects.first() else {
        return Some(());
    };
    let is_any = subjects
        .iter()
        .any(|subject| world.is_watched(&subject.target));
    if !is_any {
        let message = format!(
            "the operator reads no kind of the samples, such as that of {}: does `register` start its controllers?",
            first.target
        );
        world.broken("samples are watched", None, message);
    }
    is_any.then_some(())
}
