//! The invariants of every operator.

use std::time::Duration;

use serde_json::Value;
use tokio::time::sleep;

use super::crew::Crew;
use super::managers::{controller_kind, is_going, is_marked, is_ours, owner_uids};
use super::process::Process;
use super::references::texts;
use super::setup::Setup;
use super::subject::{Conditions, Subject};
use super::target::{Target, text};
use super::world::World;

/// Long after the faults, there must be no write for this time.
pub(super) const SILENCE: Duration = Duration::from_secs(120);

/// The time limit for deleted objects to be gone.
pub(super) const END: Duration = Duration::from_secs(6 * 60);

/// The invariants are checked more often than this.
const RECENT: Duration = Duration::from_secs(10);

/// Maximum number of requests of a replica per minute without changes: it renews or checks the Lease, and its watches
/// restart from time to time.
const SILENT: u64 = 90;

/// Maximum number of requests per minute for each object: reconciles may read or apply everything.
const SILENT_OBJECT: u64 = 60;

/// Lets time pass. Returns `None` if an invariant is violated.
pub(super) async fn goes_on(
    setup: &Setup,
    world: &World,
    crew: &Crew,
    length: Duration,
) -> Option<()> {
    let end = world.elapsed() + length;
    while world.elapsed() < end {
        let step = Duration::from_secs(if world.is_calm() { 5 } else { 1 });
        sleep(step.min(end.saturating_sub(world.elapsed()))).await;
        always(world, crew);
        for (name, holds) in &setup.always {
            if let Err(why) = holds(world) {
                world.broken(name, None, why);
            }
        }
        if world.first_broken().is_some() {
            return None;
        }
    }
    Some(())
}

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
        if let Some(what) = process.blocked() {
            let message = format!("{} computed or blocked for seconds {what}", process.name());
            world.broken("no reconcile keeps its thread", None, message);
        }
        if let Some(object) = process.restless() {
            let message = format!("{} reconciles {object} again and again", process.name());
            world.broken("no busy loop", None, message);
        }
        if let Some((object, why)) = process.panicked() {
            let message = format!(
                "the reconcile of {object} panicked in {}: {why}",
                process.name()
            );
            world.broken("no reconcile panics", None, message);
        }
        if let Some(object) = process.stopped(RECENT).filter(|_| world.is_settled()) {
            let message = format!(
                "the reconcile of {object} took longer than it may in {}, without faults",
                process.name()
            );
            world.broken("every reconcile ends", None, message);
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

/// Whether an object is of a kind with a history, or a child of one: a schedule goes on for ever.
fn is_historic(setup: &Setup, world: &World, target: &Target) -> bool {
    let object = world.find(target).map(|object| Value::clone(&object));
    let object = object.or_else(|| world.children().remove(target));
    object.is_some_and(|object| {
        setup.has_history(object["kind"].as_str()) || setup.has_history(controller_kind(&object))
    })
}

/// Long after the faults, there are no writes.
pub(super) fn silence(setup: &Setup, world: &World) {
    let quiet = world.quiet_for();
    let is_excused = || {
        let last = world.last_write();
        last.is_some_and(|(_, target)| is_historic(setup, world, &target))
    };
    if quiet < SILENCE && !is_excused() {
        let (message, about) = match world.last_write() {
            Some((who, target)) => (
                format!("{who} still wrote {target} {quiet:.1?} ago"),
                Some(target.name),
            ),
            None => (format!("the last write was {quiet:.1?} ago"), None),
        };
        world.broken("no writes after the faults", about.as_deref(), message);
    }
}

/// There were few requests in a silence of this length.
pub(super) fn few_requests(world: &World, subjects: &[Subject], requests: u64, silence: Duration) {
    let replicas = u64::try_from(world.plan().replicas).unwrap_or(u64::MAX);
    let of_objects = SILENT_OBJECT * subjects.len() as u64;
    let most = (SILENT * replicas + of_objects) * silence.as_secs() / 60;
    if requests > most {
        let message =
            format!("{requests} requests in {silence:?}, but at most {most} are expected");
        world.broken("few requests in silence", None, message);
    }
}

/// Long after the faults, all probes pass.
pub(super) fn probes(world: &World, crew: &Crew) {
    if world.is_foreign() {
        return;
    }
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
pub(super) fn statuses(world: &World, subjects: &[Subject]) {
    for subject in subjects {
        if !is_spoken_for(world, subject) {
            continue;
        }
        // The operator does not answer a spec that is changed while its object is deleted.
        let Some(object) = world.find(&subject.target).filter(|it| !is_going(it)) else {
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

/// Whether the operator reports the status of an object: nothing does for a kind without a controller.
pub(super) fn is_spoken_for(world: &World, subject: &Subject) -> bool {
    let is_spoken_for = subject.conditions != Conditions::None && world.is_watched(&subject.target);
    // Not every program has this condition.
    let has_ready = || {
        let object = world.find(&subject.target);
        object.is_some_and(|object| condition(&object, "Ready").is_some())
    };
    is_spoken_for && (!world.is_foreign() || has_ready())
}

pub(super) fn condition<'a>(object: &'a Value, type_: &str) -> Option<&'a Value> {
    let conditions = object["status"]["conditions"].as_array();
    conditions
        .into_iter()
        .flatten()
        .find(|condition| condition["type"] == type_)
}

/// Whether an object is ready.
pub(super) fn is_ready(object: &Value) -> bool {
    condition(object, "Ready").is_some_and(|ready| ready["status"] == "True")
}

/// Whether the status says that the object is ready, or why not.
pub(super) fn says(object: &Value) -> Result<(), String> {
    let Some(ready) = condition(object, "Ready") else {
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

/// No object of the user waits for a child of another, unless their kind competes, or its spec names the child.
pub(super) fn claims(setup: &Setup, world: &World, crew: &Crew, subjects: &[Subject]) {
    let living: Vec<_> = subjects
        .iter()
        .filter_map(|subject| Some((&subject.target, world.find(&subject.target)?)))
        .collect();
    let of = |uid: &str| living.iter().find(|(_, object)| text(object, "uid") == uid);
    for claim in crew.processes().iter().flat_map(Process::claims) {
        let (Some((claimant, object)), Some(child)) = (of(&claim.uid), world.find(&claim.child))
        else {
            continue;
        };
        let kind = object["kind"].as_str();
        if setup.competes(kind) || texts(&object["spec"]).contains(&&*claim.child.name) {
            continue;
        }
        let owners = owner_uids(&child, &world.names().operator);
        let mut owners = owners.into_iter().filter_map(of);
        let owner = owners.find(|(target, _)| target != claimant);
        if let Some((owner, _)) = owner.filter(|_| world.has_created(&child)) {
            let message = format!(
                "{claimant} and {owner} both need {}: the name of a child must depend on {} of its owner; if only one of \
                 them may have it, add `.competes::<{}>()` to the simulation",
                claim.child,
                if claimant.name == owner.name {
                    "the name and the namespace"
                } else if claimant.namespace == owner.namespace {
                    "the whole name"
                } else {
                    "the name and the namespace, for example as `{namespace}.{name}`,"
                },
                kind.unwrap_or_default(),
            );
            world.broken(
                "no two objects claim one child",
                Some(&claimant.name),
                message,
            );
        }
    }
}

/// A replica that has just started finds nothing to do.
pub(super) fn nothing_was_left(setup: &Setup, world: &World, changes: u64) {
    if changes == 0 {
        return;
    }
    let last = world.last_change();
    let Some(target) = last.filter(|target| !is_historic(setup, world, target)) else {
        return;
    };
    let made = if changes == 1 {
        "a change".to_owned()
    } else {
        format!("{changes} changes, the last")
    };
    let message = format!("a new replica still made {made} to {target}");
    world.broken("all children match the specs", Some(&target.name), message);
}

/// Nothing that the operator created outlives its owners.
pub(super) fn all_gone(world: &World, going: &[Subject], is_all: bool) {
    if let Some((name, target, message)) = left(world, going, is_all) {
        world.broken(name, Some(&target.name), message);
    }
}

/// Whether the owner of a child is another object of the user's kinds, which nobody has deleted.
fn is_of_another(world: &World, going: &[Subject], child: &Value) -> bool {
    let references = child["metadata"]["ownerReferences"].as_array();
    let mut kinds = references.into_iter().flatten().map(|owner| &owner["kind"]);
    let is_of_user = kinds.any(|kind| going.iter().any(|subject| subject.object["kind"] == *kind));
    is_of_user && !world.server().is_owner_gone(child)
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
        let message = format!("{target} still exists {END:?} after it was deleted");
        return Some(("deleted objects disappear", target.clone(), message));
    }
    if !is_all {
        return None;
    }
    let strangers = world.strangers();
    let is_left = |target: &Target| {
        world.find(target).is_some_and(|object| {
            let uid = text(&object, "uid");
            let is_known = strangers.contains_key(uid)
                || world.was_orphaned(uid)
                || is_of_another(world, going, &object);
            let operator = &world.names().operator;
            let is_added = || !world.has_created(&object) && is_marked(&object, operator);
            !is_known && (is_ours(&object, operator) || is_added())
        })
    };
    let mut written = world.children().into_keys().chain(world.touched());
    let target = written.find(is_left)?;
    let message = format!("{target} is orphaned");
    Some(("no orphaned children", target, message))
}
