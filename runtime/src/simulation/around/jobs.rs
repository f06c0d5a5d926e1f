//! The Job controller: Jobs complete or fail some time after their creation, and are deleted if they expire.

use std::collections::BTreeMap;
use std::time::Duration;

use fastrand::Rng;
use hyper::Method;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::needs::missing;
use super::{always, seconds};
use crate::simulation::fault::Fault;
use crate::simulation::target::{Target, text};
use crate::simulation::world::World;

/// The end of each Job, by its uid.
type Ends = BTreeMap<String, Duration>;

pub(super) fn start(world: &World) {
    let mut ends = Ends::new();
    always(world, "jobs", move |world, rng| {
        for job in world.server().objects("batch", "jobs", "") {
            if job["spec"]["suspend"] == true && !is_ended_job(&job) {
                continue;
            }
            if job["status"]["startTime"].is_null() {
                begin(world, &job);
            } else if is_over(world, &job, &mut ends, rng) {
                end(world, &job, rng);
            } else if is_expired(world, &job) {
                let path = Target::of("batch/v1", "jobs", &job).path();
                let body = json!({ "propagationPolicy": "Background" });
                world.does("jobs", &Method::DELETE, &path, &body);
            }
        }
    });
}

fn begin(world: &World, job: &Value) {
    set(world, job, json!({ "startTime": now(world), "active": 1 }));
}

/// Whether a running Job ends now.
fn is_over(world: &World, job: &Value, ends: &mut Ends, rng: &mut Rng) -> bool {
    if is_ended_job(job) || missing(world, job).is_some() {
        return false;
    }
    let longest = if world.has_faults() { 20.0 } else { 3.0 };
    let end = ends.entry(text(job, "uid").to_owned());
    let end = *end.or_insert_with(|| world.elapsed() + seconds(rng, 0.1, longest));
    end <= world.elapsed()
}

/// Whether a Job has ended so long ago that it is to be deleted.
fn is_expired(world: &World, job: &Value) -> bool {
    let conditions = job["status"]["conditions"].as_array();
    let ended = conditions.and_then(|conditions| conditions.last()?["lastTransitionTime"].as_str());
    let ended = ended.and_then(|at| at.parse::<Timestamp>().ok());
    let is_over = |ended: Timestamp, seconds| {
        world.server().now().duration_since(ended) >= SignedDuration::from_secs(seconds)
    };
    ended.is_some_and(|ended| lives_for(job).is_some_and(|seconds| is_over(ended, seconds)))
}

/// How many seconds after its end a Job is deleted, if it is.
pub(in crate::simulation) fn lives_for(job: &Value) -> Option<i64> {
    job["spec"]["ttlSecondsAfterFinished"].as_i64()
}

/// Whether an object is a Job that is complete or has failed.
pub(in crate::simulation) fn is_ended_job(object: &Value) -> bool {
    let conditions = object["status"]["conditions"].as_array();
    object["kind"] == "Job" && conditions.is_some_and(|conditions| !conditions.is_empty())
}

/// Lets a Job complete or fail.
fn end(world: &World, job: &Value, rng: &mut Rng) {
    let now = now(world);
    let condition = |type_: &str, reason: &str| json!({ "type": type_, "status": "True", "lastTransitionTime": now, "reason": reason, "message": reason });
    let fails = !world.is_calm() && rng.f64() < world.plan().rate(Fault::FailedRollout);
    let status = if fails {
        let reason = "BackoffLimitExceeded";
        world.marks_owner(job);
        let conditions = ["FailureTarget", "Failed"].map(|type_| condition(type_, reason));
        json!({ "active": 0, "failed": 1, "conditions": conditions })
    } else {
        let reason = "CompletionsReached";
        let conditions = ["SuccessCriteriaMet", "Complete"].map(|type_| condition(type_, reason));
        json!({ "active": 0, "succeeded": 1, "completionTime": now, "conditions": conditions })
    };
    set(world, job, status);
}

fn now(world: &World) -> Value {
    json!(Time(world.server().now()))
}

fn set(world: &World, job: &Value, status: Value) {
    let path = Target::of("batch/v1", "jobs", job).status_path();
    world.does("jobs", &Method::PATCH, &path, &json!({ "status": status }));
}
