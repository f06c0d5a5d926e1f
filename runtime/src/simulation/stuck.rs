//! An object that is not ready waits for something. In a cluster without faults, an object is stuck if it still reports
//! what it reported on the way to its first readiness, and there is nothing left that it could wait for.

use serde_json::Value;

use super::around::{WORKLOADS, unavailable};
use super::check::condition;
use super::children::{Child, Children};
use super::crew::Crew;
use super::ready::why_unready;
use super::subject::Subject;
use super::target::text;
use super::world::World;

/// The children that an object need not wait for, beside workloads, whose rollouts are simulated.
const AT_ONCE: [&str; 12] = [
    "configmaps",
    "endpointslices",
    "horizontalpodautoscalers",
    "limitranges",
    "networkpolicies",
    "poddisruptionbudgets",
    "resourcequotas",
    "rolebindings",
    "roles",
    "secrets",
    "serviceaccounts",
    "services",
];

/// Why an object with this value of a field waits in vain, if it does. Only of values that cannot name what it waits for.
pub(super) fn why(
    world: &World,
    crew: &Crew,
    subjects: &[Subject],
    subject: &Subject,
    value: Option<&Value>,
) -> Option<String> {
    if !value.is_some_and(|value| value.is_number() || value.is_boolean()) || world.is_foreign() {
        return None;
    }
    let why = why_unready(world, subject)?;
    let object = world.find(&subject.target)?;
    let reason = condition(&object, "Ready")?["reason"].as_str()?;
    let mut others = subjects
        .iter()
        .filter(|other| other.target != subject.target);
    let may_wait = !world.is_progress(&subject.target.plural, reason)
        || world.last_refusal().is_some()
        || !unavailable(world, text(&object, "uid")).is_empty()
        || others.any(|other| why_unready(world, other).is_some())
        || is_scheduled(crew, subject);
    if may_wait {
        return None;
    }
    let children = Children::in_world(world, subjects);
    let mut own = children.of(Some(&subject.target));
    own.all(is_at_once).then_some(why)
}

/// Whether nothing of a child is left to wait for.
fn is_at_once(child: &Child) -> bool {
    let plural = child.target.plural.as_str();
    let has_address = child.object["spec"]["type"] != "LoadBalancer";
    WORKLOADS.contains(&plural) || AT_ONCE.contains(&plural) && has_address
}

/// Whether a reconcile of an object was asked for after a time, or is a retry.
fn is_scheduled(crew: &Crew, subject: &Subject) -> bool {
    let name = match &subject.target.namespace {
        Some(namespace) => format!("{namespace}/{}", subject.target.name),
        None => subject.target.name.clone(),
    };
    crew.processes().iter().any(|process| {
        let mut work = process.work().into_iter();
        work.any(|((_, object), work)| object == name && work.is_scheduled)
    })
}
