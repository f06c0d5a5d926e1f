//! An autoscaler for objects with a `scale` subresource, and for workloads whose replicas nobody
//! else sets.

use hyper::Method;
use serde_json::{Value, json};

use super::{often, one_of};
use crate::simulation::fault::Fault;
use crate::simulation::subject::Subject;
use crate::simulation::target::Target;
use crate::simulation::world::World;

const WHO: &str = "autoscaler";

/// The workloads to scale, in addition to the user's objects.
const WORKLOADS: [&str; 2] = ["deployments", "statefulsets"];

pub(super) fn start(world: &World, subjects: &[Subject]) {
    let scaled = subjects.iter().filter(|subject| subject.has_scale);
    let subjects: Vec<_> = scaled.map(|subject| subject.target.clone()).collect();
    often(world, Fault::Scaled, 10.0, move |world, rng| {
        let mut targets = subjects.clone();
        targets.extend(WORKLOADS.iter().flat_map(|plural| unscaled(world, plural)));
        if let Some(target) = one_of(rng, &targets) {
            let path = format!("{}/scale", target.path());
            let scale = json!({ "spec": { "replicas": rng.u8(1..6) } });
            world.does(WHO, &Method::PATCH, &path, &scale);
        }
    });
}

/// The workloads whose replicas nobody else sets.
fn unscaled(world: &World, plural: &str) -> Vec<Target> {
    let workloads = world.server().objects("apps", plural, "");
    workloads
        .iter()
        .filter(|object| !is_set(object))
        .map(|object| Target::of("apps/v1", plural, object))
        .collect()
}

/// Whether somebody else sets the replicas of a workload.
fn is_set(workload: &Value) -> bool {
    let mut managers = workload["metadata"]["managedFields"]
        .as_array()
        .into_iter()
        .flatten();
    managers.any(|entry| {
        entry["manager"] != WHO && !entry["fieldsV1"]["f:spec"]["f:replicas"].is_null()
    })
}
