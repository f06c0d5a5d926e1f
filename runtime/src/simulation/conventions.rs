//! The conventions of Kubernetes for statuses, and the work that is left when nothing changes.

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::around;
use super::check::{condition, is_ready};
use super::crew::Crew;
use super::managers::is_going;
use super::process::Work;
use super::subject::Subject;
use super::target::{Target, text};
use super::world::World;

/// A status that changes this long after the last transition has a new time of transition.
const TRANSITION: SignedDuration = SignedDuration::from_secs(60);

/// How many reconciles of an object in silence may ask for another one in less than a second: a time that the object
/// waits for can be near.
const SOON: u64 = 10;

/// How many reconciles of an object in silence need no reason.
const UNASKED: u64 = 60;

/// An object in silence has one event in so many seconds at most. Kubernetes' own controllers write one in five minutes.
const EVENT: u64 = 12;

/// Checks the conditions that a replica has written, by its clock.
pub(super) fn written(
    world: &World,
    target: &Target,
    before: Option<&Value>,
    after: &Value,
    now: Timestamp,
) {
    let conditions = after["status"]["conditions"].as_array();
    for condition_after in conditions.into_iter().flatten() {
        let text = |field: &str| condition_after[field].as_str().unwrap_or_default();
        let (type_, reason) = (text("type"), text("reason"));
        if !is_camel_case(reason) {
            let message = format!(
                "{target} has the condition {type_} with the reason {reason:?}: a reason is one word in CamelCase, \
                 which programs compare"
            );
            world.broken("reasons are in CamelCase", Some(&target.name), message);
        }
        // A stale object may be reported while there are faults.
        let Some(before) = before.and_then(|before| condition(before, type_)) else {
            continue;
        };
        if !world.is_settled() {
            continue;
        }
        let is_same = |field: &str| before[field] == condition_after[field];
        let (at, status) = (text("lastTransitionTime"), text("status"));
        let was_at = before["lastTransitionTime"].as_str().unwrap_or_default();
        let [time, was] = [at, was_at].map(|time| time.parse::<Timestamp>().ok());
        let is_old = time.is_some_and(|at| now.duration_since(at) > TRANSITION);
        let message = match (is_same("status"), is_same("lastTransitionTime")) {
            (true, false) => {
                format!("still has the status {status}, but a new `lastTransitionTime`")
            }
            (false, true) if is_old => {
                format!("changed to {status}, but kept its `lastTransitionTime` {at}")
            }
            (false, false) if time < was && !world.plan().has_faults() => format!(
                "changed to {status}, but its `lastTransitionTime` went back from {was_at} to {at}: was the status \
                 computed from an object before it was reported?"
            ),
            _ => continue,
        };
        world.broken(
            "a transition has its time",
            Some(&target.name),
            format!("the condition {type_} of {target} {message}"),
        );
    }
}

/// Records, in a cluster without faults, the workloads of an object that are not rolled out when it gets ready, also in
/// a new generation, and the objects that its spec names that are not ready.
pub(super) fn waited(world: &World, target: &Target, before: Option<&Value>, after: &Value) {
    let seen = |object: &Value| {
        let ready = condition(object, "Ready").filter(|ready| ready["status"] == "True")?;
        let generations = [
            &ready["observedGeneration"],
            &object["status"]["observedGeneration"],
        ];
        Some(generations.map(Value::as_i64))
    };
    let gets_ready = is_ready(after) && before.and_then(seen) != seen(after);
    if !gets_ready || world.plan().has_faults() {
        return;
    }
    let was = before.and_then(|before| condition(before, "Ready"));
    if let Some(was) = was.filter(|was| was["status"] != "True") {
        world.note_progress(&target.plural, was["reason"].as_str().unwrap_or_default());
    }
    let mut waiting = around::unavailable(world, text(after, "uid"));
    let is_unready = |other: &Target| world.find(other).is_none_or(|object| !is_ready(&object));
    let named = world.owners().named(target, &after["spec"]);
    let unready = named
        .filter(|other| other.path() != target.path())
        .filter(|other| world.is_watched(other) && is_unready(other));
    waiting.extend(unready.map(|other| other.plural.clone()));
    for plural in waiting {
        world.note_hasty(format!("{} before {plural}", target.plural));
    }
}

/// Whether a reason is one word that begins with a capital letter, or absent.
fn is_camel_case(reason: &str) -> bool {
    reason.is_empty()
        || reason.starts_with(|first: char| first.is_ascii_uppercase())
            && reason.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Checks that objects which are ready have observed their specs.
pub(super) fn observed(world: &World, subjects: &[Subject]) {
    for subject in subjects {
        let Some(object) = world.find(&subject.target).filter(|it| !is_going(it)) else {
            continue;
        };
        let (seen, generation) = (
            &object["status"]["observedGeneration"],
            &object["metadata"]["generation"],
        );
        if is_ready(&object) && !seen.is_null() && seen != generation {
            let message = format!(
                "{} is ready in generation {generation}, but its `status.observedGeneration` is {seen}",
                subject.target
            );
            world.broken(
                "the observed generation reaches the generation",
                Some(&subject.target.name),
                message,
            );
        }
    }
}

/// The reconciles and events of replicas until a moment.
pub(super) struct Until {
    work: BTreeMap<(String, String, String), Work>,
    events: BTreeMap<String, u64>,
}

impl Until {
    /// The reconciles and events until now.
    pub(super) fn now(world: &World, crew: &Crew) -> Self {
        let mut all = BTreeMap::new();
        for process in crew.processes() {
            for ((controller, object), work) in process.work() {
                all.insert((process.name().to_owned(), controller, object), work);
            }
        }
        Self {
            work: all,
            events: world.events(),
        }
    }

    /// Checks that not much was reconciled since then, though nothing has changed for the time `silence`.
    pub(super) fn check(&self, world: &World, crew: &Crew, silence: Duration) {
        let now = Self::now(world, crew);
        for (object, after) in now.events {
            let before = self.events.get(&object).copied().unwrap_or_default();
            let most = silence.as_secs() / EVENT;
            if after - before > most {
                let message = format!(
                    "{} events of {object} were written in {silence:?}, though nothing changed, but at most {most} are \
                     expected",
                    after - before
                );
                let (_, name) = object.split_once('/').unwrap_or_default();
                world.broken("few events in silence", Some(name), message);
            }
        }
        for (what, after) in now.work {
            let before = self.work.get(&what).copied().unwrap_or_default();
            let (replica, controller, object) = what;
            let all = after.all - before.all;
            let unasked = all.saturating_sub(after.requeued - before.requeued);
            if after.soon - before.soon > SOON {
                let message = format!(
                    "{replica} reconciled {object} {all} times in {silence:?} for {controller}, though nothing \
                     changed: each reconcile asks for the next one after {:?}",
                    after.delay
                );
                world.broken(
                    "no requeue within a second in silence",
                    Some(&object),
                    message,
                );
            } else if unasked > UNASKED {
                let message = format!(
                    "{replica} reconciled {object} {all} times in {silence:?} for {controller}, though nothing \
                     changed and no reconcile asked for that"
                );
                world.broken("few reconciles in silence", Some(&object), message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_camel_case;

    #[test]
    fn a_reason_is_one_word() {
        for (reason, expected) in [
            ("RollingOut", true),
            ("Failed2", true),
            ("", true),
            ("rollingOut", false),
            ("Rolling out", false),
            ("ROLLING-OUT", false),
        ] {
            assert_eq!(is_camel_case(reason), expected, "{reason}");
        }
    }
}
