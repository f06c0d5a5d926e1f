//! The controllers of workloads, which complete a rollout after some time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use hyper::Method;
use serde_json::{Value, json};

use super::needs::missing;
use super::{always, seconds};
use crate::simulation::fault::Fault;
use crate::simulation::managers::owner_uids;
use crate::simulation::target::{Target, text};
use crate::simulation::world::World;

/// The workloads whose Pods keep running until their template changes.
pub(in crate::simulation) const WORKLOADS: [&str; 3] =
    ["deployments", "statefulsets", "daemonsets"];

pub(super) fn start(world: &World) {
    // The end of each rollout, by object and generation.
    let mut due = Due::new();
    always(world, "rollouts", move |world, rng| {
        for plural in WORKLOADS {
            for object in world.server().objects("apps", plural, "") {
                roll_out(world, plural, &object, &mut due, rng);
            }
        }
    });
}

/// The resources of the workloads of an owner that are not rolled out.
pub(in crate::simulation) fn unavailable(world: &World, owner: &str) -> Vec<String> {
    let operator = &world.names().operator;
    let is_unavailable = |object: &Value| {
        let (status, generation) = (&object["status"], &object["metadata"]["generation"]);
        let [ready, _] = counts(object);
        owner_uids(object, operator).contains(&owner)
            && (ready < replicas(object) || status["observedGeneration"] != *generation)
    };
    let waiting = workloads(world).filter(|(_, object)| is_unavailable(object));
    waiting.map(|(target, _)| target.plural).collect()
}

/// The workloads that the operator has created.
pub(in crate::simulation) fn workloads(
    world: &World,
) -> impl Iterator<Item = (Target, Arc<Value>)> {
    let created = world.created().into_iter();
    let workloads = created.filter(|target| {
        target.version == "apps/v1" && WORKLOADS.contains(&target.plural.as_str())
    });
    workloads.filter_map(|target| Some((target.clone(), world.find(&target)?)))
}

/// The ready and the updated Pods in the status of a workload.
fn counts(workload: &Value) -> [i64; 2] {
    let fields = match workload["kind"].as_str() {
        Some("DaemonSet") => ["numberReady", "updatedNumberScheduled"],
        _ => ["readyReplicas", "updatedReplicas"],
    };
    fields.map(|field| workload["status"][field].as_i64().unwrap_or_default())
}

fn replicas(workload: &Value) -> i64 {
    workload["spec"]["replicas"].as_i64().unwrap_or(1)
}

type Due = BTreeMap<(String, i64, bool), Duration>;

/// Advances the status of a workload with its rollout.
fn roll_out(world: &World, plural: &str, object: &Value, due: &mut Due, rng: &mut Rng) {
    let generation = object["metadata"]["generation"]
        .as_i64()
        .unwrap_or_default();
    let replicas = replicas(object);
    let status = &object["status"];
    let is_seen = status["observedGeneration"] == generation;
    let workload = Target::of("apps/v1", plural, object);
    let path = workload.status_path();
    let set = |status: Value| {
        let body = json!({ "status": status });
        world.does("rollouts", &Method::PATCH, &path, &body);
    };
    let [ready, updated] = counts(object);
    if world.is_failing(&workload) {
        if ready > 0 || !is_seen {
            set(rollout(plural, generation, replicas, Some(Phase::Failed)));
        }
        return;
    }
    if is_seen && ([ready, updated] == [replicas; 2] || missing(world, object).is_some()) {
        return;
    }
    if object["spec"]["paused"] == true {
        if !is_seen {
            set(json!({ "observedGeneration": generation }));
        }
        return;
    }
    let fails = !world.is_calm() && rng.f64() < world.plan().rate(Fault::FailedRollout) * 0.1;
    let key = (text(object, "uid").to_owned(), generation, is_seen);
    let longest = if world.has_faults() { 20.0 } else { 3.0 };
    let now = world.elapsed();
    let at = *due
        .entry(key)
        .or_insert_with(|| now + seconds(rng, 0.1, longest));
    if at > now && !(world.is_calm() && at > now + Duration::from_secs(5)) {
        return;
    }
    let phase = if fails {
        Phase::Failed
    } else {
        Phase::Complete
    };
    set(rollout(
        plural,
        generation,
        replicas,
        is_seen.then_some(phase),
    ));
}

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    Complete,
    Failed,
}

/// The status of a workload. `None` is a rollout that has only begun.
fn rollout(plural: &str, generation: i64, replicas: i64, phase: Option<Phase>) -> Value {
    let ready = match phase {
        Some(Phase::Complete) => replicas,
        _ => 0,
    };
    let updated = phase.map_or(0, |_| replicas);
    if plural == "daemonsets" {
        return json!({
            "observedGeneration": generation, "currentNumberScheduled": replicas, "numberMisscheduled": 0,
            "desiredNumberScheduled": replicas, "numberReady": ready, "numberAvailable": ready,
            "numberUnavailable": replicas - ready, "updatedNumberScheduled": updated,
        });
    }
    let condition = |type_: &str, holds: bool, reason: &str| json!({ "type": type_, "status": if holds { "True" } else { "False" }, "reason": reason, "message": reason });
    let conditions = [
        condition(
            "Available",
            phase == Some(Phase::Complete),
            "MinimumReplicasAvailable",
        ),
        match phase {
            Some(Phase::Failed) => condition("Progressing", false, "ProgressDeadlineExceeded"),
            _ => condition("Progressing", true, "NewReplicaSetAvailable"),
        },
    ];
    json!({
        "observedGeneration": generation,
        "replicas": replicas,
        "updatedReplicas": updated,
        "readyReplicas": ready,
        "availableReplicas": ready,
        "unavailableReplicas": replicas - ready,
        "conditions": conditions,
    })
}
