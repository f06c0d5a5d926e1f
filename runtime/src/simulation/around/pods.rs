//! The kubelet: a Pod gets ready some time after its creation.

use std::collections::BTreeMap;
use std::time::Duration;

use hyper::Method;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde_json::{Value, json};

use super::needs::missing;
use super::{always, seconds};
use crate::simulation::check::condition;
use crate::simulation::fault::Fault;
use crate::simulation::target::{Target, text};
use crate::simulation::world::World;

pub(super) fn start(world: &World) {
    // When each Pod gets ready or fails to, by uid and whether it has failed before.
    let mut due = BTreeMap::<(String, bool), Duration>::new();
    always(world, "pods", move |world, rng| {
        for pod in world.server().objects("", "pods", "") {
            let ready = condition(&pod, "Ready");
            let has_failed = ready.is_some();
            if ready.is_some_and(|ready| ready["status"] == "True") {
                continue;
            }
            if missing(world, &pod).is_some() {
                continue;
            }
            let longest = if world.has_faults() { 20.0 } else { 3.0 };
            let now = world.elapsed();
            let at = due.entry((text(&pod, "uid").to_owned(), has_failed));
            if *at.or_insert_with(|| now + seconds(rng, 0.1, longest)) > now {
                continue;
            }
            let fails = !has_failed
                && !world.is_calm()
                && rng.f64() < world.plan().rate(Fault::FailedRollout);
            set(world, &pod, !fails);
        }
    });
}

/// Starts the containers of a Pod, which are ready or not.
fn set(world: &World, pod: &Value, is_ready: bool) {
    let (status, reason) = if is_ready {
        ("True", Value::Null)
    } else {
        ("False", json!("ContainersNotReady"))
    };
    let now = Time(world.server().now());
    let conditions = ["PodScheduled", "Initialized", "ContainersReady", "Ready"].map(|type_| {
        let (status, reason) = match type_ {
            "ContainersReady" | "Ready" => (status, reason.clone()),
            _ => ("True", Value::Null),
        };
        json!({ "type": type_, "status": status, "lastTransitionTime": now, "reason": reason })
    });
    let phase = if is_ready { "Running" } else { "Pending" };
    let path = Target::of("v1", "pods", pod).status_path();
    let status = json!({ "phase": phase, "startTime": now, "conditions": conditions });
    world.does("pods", &Method::PATCH, &path, &json!({ "status": status }));
}
