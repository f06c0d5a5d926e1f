//! How far OLM is, in the words of its conditions.

use serde_json::{Map, Value};

use crate::cluster;
use crate::objects::name;

use super::live::{items, text};

/// Conditions of a Subscription that something is wrong with if they are true, and those of what takes its time.
const TROUBLES: [&str; 7] = [
    "ResolutionFailed",
    "BundleUnpackFailed",
    "InstallPlanFailed",
    "InstallPlanMissing",
    "CatalogSourcesUnhealthy",
    "BundleUnpacking",
    "InstallPlanPending",
];

/// So many characters of a message are shown.
const MOST: usize = 2000;

/// How far a Subscription is.
pub(super) fn subscription(subscription: &Value) -> String {
    let what = format!("Subscription {}", name(subscription));
    let conditions = TROUBLES.into_iter().filter_map(|kind| {
        let condition = cluster::condition(subscription, kind)?;
        (condition.get("status")? == "True").then(|| condition_words(kind, condition))
    });
    let conditions: Vec<_> = conditions.collect();
    match (&conditions[..], text(subscription, "/status/state")) {
        ([], "") => format!("{what}: not observed by OLM yet"),
        ([], state) => format!("{what}: {state}"),
        (conditions, _) => format!("{what}: {}", conditions.join("; ")),
    }
}

/// How far an `InstallPlan` is.
pub(super) fn plan(plan: &Value) -> String {
    let what = format!("InstallPlan {}", name(plan));
    let phase = match text(plan, "/status/phase") {
        "" => "not observed by OLM yet",
        phase => phase,
    };
    let conditions = items(plan, "/status/conditions")
        .filter(|it| it["status"] == "False")
        .filter_map(Value::as_object)
        .map(words);
    let lookups = items(plan, "/status/bundleLookups").flat_map(|it| {
        let conditions = items(it, "/conditions").filter(|it| it["status"] == "True");
        conditions.filter_map(Value::as_object).map(words)
    });
    let mut all = vec![phase.to_owned()];
    all.extend(conditions.chain(lookups));
    let message = text(plan, "/status/message");
    if !message.is_empty() {
        all.push(shortened(message));
    }
    format!("{what}: {}", all.join("; "))
}

/// How far a `ClusterServiceVersion` is, with the requirements that are not met.
pub(super) fn csv(name: &str, csv: &Value) -> String {
    let what = format!("ClusterServiceVersion {name}");
    if csv.is_null() {
        return format!("{what}: does not exist yet");
    }
    let phase = match text(csv, "/status/phase") {
        "" => return format!("{what}: not observed by OLM yet"),
        phase => phase,
    };
    let status = csv["status"].as_object();
    let mut parts = vec![status.map(words).unwrap_or_default()];
    if phase == "Pending" {
        let unmet = items(csv, "/status/requirementStatus").filter(|it| {
            let state = text(it, "/status");
            !["Present", "Satisfied"].contains(&state)
        });
        parts.extend(unmet.map(requirement));
    }
    parts.retain(|part| !part.is_empty());
    if parts.is_empty() {
        format!("{what}: {phase}")
    } else {
        format!("{what}: {phase}: {}", parts.join("; "))
    }
}

fn requirement(requirement: &Value) -> String {
    let [kind, name, status, message] =
        ["/kind", "/name", "/status", "/message"].map(|field| text(requirement, field));
    let unmet = items(requirement, "/dependents").filter(|it| it["status"] == "NotSatisfied");
    let rules: Vec<_> = unmet
        .map(|it| text(it, "/message"))
        .filter(|it| !it.is_empty())
        .collect();
    let mut words = format!("{kind} {name} is {status}");
    for part in [message]
        .into_iter()
        .filter(|it| !it.is_empty())
        .chain(rules)
    {
        words.push_str(", ");
        words.push_str(&shortened(part));
    }
    words
}

/// How far an object is, by some of its conditions.
pub(super) fn conditions(object: &Value, kinds: &[&str]) -> String {
    let what = format!("{} {}", text(object, "/kind"), name(object));
    let conditions = kinds.iter().filter_map(|kind| {
        let condition = cluster::condition(object, kind)?;
        let status = condition.get("status")?.as_str()?;
        Some(format!("{kind}={status}: {}", words(condition)))
    });
    let conditions: Vec<_> = conditions.collect();
    if conditions.is_empty() {
        format!("{what}: not observed by OLM yet")
    } else {
        format!("{what}: {}", conditions.join("; "))
    }
}

/// The reason and message of a condition, which may be as long as an object.
fn words(condition: &Map<String, Value>) -> String {
    shortened(&cluster::words(condition))
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn condition_words(kind: &str, condition: &Map<String, Value>) -> String {
    let words = words(condition);
    if words.is_empty() {
        kind.to_owned()
    } else {
        format!("{kind}: {words}")
    }
}
