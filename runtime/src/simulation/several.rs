//! Several copies of the samples in a cluster without faults, which refer to the first copy. One copy is deleted: the
//! others must not notice, and have nothing in common that only one of them can have.

use std::time::Duration;

use super::around::{self, lives_for};
use super::check::goes_on;
use super::children::Children;
use super::crew::Crew;
use super::fit::fit;
use super::managers::is_going;
use super::plan::Plan;
use super::ready::{begin, why_unready};
use super::run::{Outcome, end, ended, in_runtime};
use super::setup::Setup;
use super::subject::Subject;
use super::target::text;
use super::time;
use super::world::World;
use crate::testing::api_server::Clock;

/// The copy that is deleted: its names begin like those of the first.
const DELETED: usize = 2;

const STAY: &str = "a deleted object takes no child of another";

/// The operator has done its work after this time without writes.
const QUIET: Duration = Duration::from_secs(15);

/// How long to wait for that.
const PATIENCE: Duration = Duration::from_secs(10 * 60);

const STEP: Duration = Duration::from_secs(5);

/// Simulates the cluster. Returns its outcome if an invariant is violated.
pub(super) fn run(setup: &Setup) -> Option<Outcome> {
    let plan = Plan::several(setup.ready_within);
    let outcome = in_runtime(setup, &plan, async {
        let _begun = time::begin(Clock::start());
        let (world, crew, subjects) = begin(setup, &plan);
        world.calm();
        let _ = check(setup, &world, &crew, &subjects).await;
        ended(&world, &crew, &subjects, false)
    });
    outcome.broken.is_some().then_some(outcome)
}

/// Checks the operator. Returns `None` if an invariant is violated.
async fn check(setup: &Setup, world: &World, crew: &Crew, subjects: &[Subject]) -> Option<()> {
    settled(setup, world, crew, subjects).await?;
    let children = Children::in_world(world, subjects);
    fit(&children)?;
    if let Some(deleted) = subjects.chunks(setup.objects.len().max(1)).nth(DELETED) {
        around::end(world, deleted);
        settled(setup, world, crew, &[]).await?;
        others_stay(setup, &children, deleted)?;
    }
    end(setup, world, crew, subjects).await
}

/// Checks that the end of some objects has ended no child of another. Returns `None` if it has.
fn others_stay(setup: &Setup, before: &Children, deleted: &[Subject]) -> Option<()> {
    let world = before.world;
    for child in &before.all {
        let Some(owner) = before.owner(child).filter(|owner| !is_going(owner)) else {
            continue;
        };
        let is_there = world
            .find(&child.target)
            .is_some_and(|there| there["metadata"]["uid"] == child.object["metadata"]["uid"]);
        // An object may get what another one has left, and a Job may expire.
        let may_go = setup.competes(owner["kind"].as_str()) || lives_for(&child.object).is_some();
        if is_there || may_go {
            continue;
        }
        let names = deleted.iter().map(|subject| subject.target.to_string());
        let names: Vec<_> = names.collect();
        let message = format!(
            "when {} was deleted, the operator deleted {}, which belongs to {}",
            names.join(", "),
            child.target,
            text(&owner, "name")
        );
        world.broken(STAY, Some(&child.target.name), message);
        return None;
    }
    Some(())
}

/// Waits until these objects exist, and nothing is written any more. They need not be ready: they may compete for
/// something.
async fn settled(setup: &Setup, world: &World, crew: &Crew, subjects: &[Subject]) -> Option<()> {
    let end = world.elapsed() + PATIENCE;
    loop {
        // Creates those that do not exist.
        for subject in subjects {
            why_unready(world, subject);
        }
        goes_on(setup, world, crew, STEP).await?;
        if world.quiet_for() >= QUIET || world.elapsed() > end {
            return Some(());
        }
    }
}
