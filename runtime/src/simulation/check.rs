//! The invariants of every operator.

use std::time::Duration;

use serde_json::Value;

use super::crew::Crew;
use super::subject::Subject;
use super::target::{Target, text};
use super::world::World;
use crate::labels::MANAGED_BY;

/// Long after the faults, there must be no write for this time.
pub(super) const SILENCE: Duration = Duration::from_secs(120);

/// The time limit for deleted objects to be gone.
pub(super) const END: Duration = Duration::from_secs(6 * 60);

/// Maximum number of requests of a replica per minute without changes: it renews or checks the Lease, and its watches
/// restart from time to time.
const SILENT: u64 = 90;

/// The invariants that hold at any time.
pub(super) fn always(world: &World, crew: &Crew) {
    for process in crew.everyone() {
        if let Some(overlap) = process.overlap() {
            let message = format!("{} reconciles {overlap} twice at once", process.name());
            world.broken("one reconcile at a time", None, message);
        }
        if process.is_busy() {
            let message = format!("{} never waits", process.name());
            world.broken("no busy loop", None, message);
        }
        if let Some(object) = process.restless() {
            let message = format!("{} reconciles {object} again and again", process.name());
            world.broken("no busy loop", None, message);
        }
        let [alive, _] = process.probe();
        if let Err(why) = alive {
            world.broken(
                "the process is alive",
                None,
                format!("{}: {why}", process.name()),
            );
        }
    }
}

/// Long after the faults, there are no writes and few reads.
pub(super) fn silence(world: &World, requests: u64) {
    let quiet = world.quiet_for();
    if quiet < SILENCE {
        let (message, about) = match world.last_write() {
            Some((who, target)) => (
                format!("{who} still wrote {target} {quiet:.1?} ago"),
                Some(target.name),
            ),
            None => (format!("the last write was {quiet:.1?} ago"), None),
        };
        world.broken("no writes after the faults", about.as_deref(), message);
    }
    let replicas = u64::try_from(world.plan().replicas).unwrap_or(u64::MAX);
    let most = SILENT * replicas * SILENCE.as_secs() / 60;
    if requests > most {
        let message = format!("{requests} requests in {SILENCE:?}, and {most} are enough");
        world.broken("few requests after the faults", None, message);
    }
}

/// Long after the faults, all probes pass.
pub(super) fn probes(world: &World, crew: &Crew) {
    for process in crew.processes() {
        if let [_, Err(why)] = process.probe() {
            world.broken(
                "the process is ready",
                None,
                format!("{}: {why}", process.name()),
            );
        }
    }
}

/// Every object reports that it is ready, or why it is not.
pub(super) fn said(world: &World, subjects: &[Subject]) {
    // Nothing reports for a kind without a controller.
    let spoken_for =
        |subject: &&Subject| subject.has_conditions && world.is_watched(&subject.target);
    for subject in subjects.iter().filter(spoken_for) {
        let Some(object) = world.find(&subject.target) else {
            continue;
        };
        if let Err(why) = says(&object) {
            let message = format!("{} {why}", subject.target);
            world.broken(
                "every object reports its status",
                Some(&subject.target.name),
                message,
            );
        }
    }
}

fn says(object: &Value) -> Result<(), String> {
    let mut conditions = object["status"]["conditions"]
        .as_array()
        .into_iter()
        .flatten();
    let Some(ready) = conditions.find(|condition| condition["type"] == "Ready") else {
        return Err("has no condition `Ready`".to_owned());
    };
    let seen = &ready["observedGeneration"];
    if !seen.is_null() && *seen != object["metadata"]["generation"] {
        return Err(format!("has a condition of generation {seen}"));
    }
    let is_said = |field: &str| ready[field].as_str().is_some_and(|text| !text.is_empty());
    if ready["status"] != "True" && !(is_said("reason") && is_said("message")) {
        return Err("does not report why it is not ready".to_owned());
    }
    Ok(())
}

/// A replica that has just started finds nothing to do.
pub(super) fn nothing_was_left(world: &World, changes: u64) {
    if changes == 0 {
        return;
    }
    let Some(target) = world.last_change() else {
        return;
    };
    let message = format!("a new replica still made {changes} changes, the last to {target}");
    world.broken("all children match the specs", Some(&target.name), message);
}

/// Nothing that the operator created outlives its owners.
pub(super) fn all_gone(world: &World, going: &[Subject], is_all: bool) {
    if let Some((name, target, message)) = left(world, going, is_all) {
        world.broken(name, Some(&target.name), message);
    }
}

/// The first object that has outlived its deleted owners: the invariant, the object, and the message. Unless all owners
/// were deleted, children may belong to the others.
pub(super) fn left(
    world: &World,
    going: &[Subject],
    is_all: bool,
) -> Option<(&'static str, Target, String)> {
    let objects = going.iter().map(|subject| &subject.target);
    if let Some(target) = objects
        .into_iter()
        .find(|target| world.find(target).is_some())
    {
        let message = format!("{target} is still there {END:?} after it was deleted");
        return Some(("deleted objects disappear", target.clone(), message));
    }
    if !is_all {
        return None;
    }
    let strangers = world.strangers();
    let is_left = |target: &Target| {
        world.find(target).is_some_and(|object| {
            let uid = text(&object, "uid");
            let is_known = strangers.contains_key(uid) || world.was_orphaned(uid);
            !is_known && is_ours(&object, &world.names().operator)
        })
    };
    let children = world.children();
    let target = children.keys().find(|target| is_left(target))?;
    let message = format!("{target} is left over");
    Some(("no orphaned children", target.clone(), message))
}

/// Whether the operator has created or changed an object.
fn is_ours(object: &Value, operator: &str) -> bool {
    let managers = object["metadata"]["managedFields"]
        .as_array()
        .into_iter()
        .flatten();
    let mut names = managers.filter_map(|entry| entry["manager"].as_str());
    let is_manager = |name: &str| name.split('/').next() == Some(operator);
    names.any(is_manager) || object["metadata"]["labels"][MANAGED_BY] == operator
}
