//! The rollout of each workload fails for a while, and then succeeds: in the cluster without faults nothing else happens,
//! so afterwards the conditions must be as before.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::Value;

use super::around::{items, workloads};
use super::check::goes_on;
use super::crew::Crew;
use super::setup::Setup;
use super::shapes::evenly;
use super::subject::Subject;
use super::target::Target;
use super::world::World;

const OVER: &str = "a failure that is over is no longer reported";

/// How long a rollout fails: longer than a reconcile may take, which must not wait for it.
const FAILS: Duration = Duration::from_secs(90);

/// How long the operator may take to report that it has succeeded.
const WITHIN: Duration = Duration::from_secs(60);

const STEP: Duration = Duration::from_secs(5);

/// Maximum number of workloads that fail.
const MOST: usize = 6;

/// The types of the conditions of each object that are true.
type True = BTreeMap<Target, BTreeSet<String>>;

/// Checks the operator. Returns `None` if an invariant is violated.
pub(super) async fn check(
    setup: &Setup,
    world: &World,
    crew: &Crew,
    subjects: &[Subject],
) -> Option<()> {
    let has_pods =
        |object: &Value| object["spec"]["paused"] != true && object["spec"]["replicas"] != 0;
    let running = workloads(world).filter(|(_, object)| has_pods(object));
    let workloads: Vec<_> = running.map(|(target, _)| target).collect();
    for workload in evenly(&workloads, MOST) {
        let before = conditions(setup, world, subjects);
        world.fails_rollout(Some(workload.clone()));
        goes_on(setup, world, crew, FAILS).await?;
        world.fails_rollout(None);
        let begun = world.elapsed();
        loop {
            goes_on(setup, world, crew, STEP).await?;
            let now = conditions(setup, world, subjects);
            if now == before {
                break;
            }
            if world.elapsed() > begun + WITHIN {
                let message = format!("the rollout of {workload} failed and then succeeded, and");
                changed(world, &before, &now, &message)?;
                break;
            }
        }
    }
    Some(())
}

fn conditions(setup: &Setup, world: &World, subjects: &[Subject]) -> True {
    let meant = subjects
        .iter()
        .filter(|subject| !setup.has_history(subject.object["kind"].as_str()));
    let all = meant.filter_map(|subject| {
        let object = world.find(&subject.target)?;
        let conditions = items(&object["status"]["conditions"]);
        let holds = conditions.filter(|condition| condition["status"] == "True");
        let types = holds.filter_map(|condition| condition["type"].as_str().map(str::to_owned));
        Some((subject.target.clone(), types.collect()))
    });
    all.collect()
}

/// Reports the first condition that differs.
fn changed(world: &World, before: &True, now: &True, what: &str) -> Option<()> {
    let none = BTreeSet::new();
    for (target, now) in now {
        let before = before.get(target).unwrap_or(&none);
        let Some(type_) = now.symmetric_difference(before).next() else {
            continue;
        };
        let (is, was) = if now.contains(type_) {
            ("is", "was not")
        } else {
            ("is not", "was")
        };
        let message = format!(
            "{what} {WITHIN:?} later the condition {type_} of {target} {is} true, which it {was} before"
        );
        world.broken(OVER, Some(&target.name), message);
        return None;
    }
    Some(())
}
