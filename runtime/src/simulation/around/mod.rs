//! The environment of the operator: faults, users, and the controllers of Kubernetes.

mod autoscaler;
mod collector;
pub(super) mod intruder;
mod jobs;
mod needs;
mod pods;
mod rollouts;
mod trouble;
mod unseen;
mod user;

use std::time::Duration;

use fastrand::Rng;
use serde_json::Value;
use tokio::time::sleep;

pub(super) use self::jobs::{is_ended_job, lives_for};
pub(super) use self::needs::{
    environment, is_of_another_operator, items, missing, running_containers, template, unmet,
};
pub(super) use self::rollouts::{WORKLOADS, unavailable, workloads};
use super::crew::Crew;
use super::fault::Fault;
use super::process::outside;
use super::subject::Subject;
use super::world::World;

/// Starts the environment.
pub(super) fn start(world: &World, crew: &Crew, subjects: &[Subject]) {
    trouble::start(world, crew);
    controllers(world);
    autoscaler::start(world, subjects);
    intruder::start(world);
    unseen::start(world, subjects);
    user::start(world, subjects);
}

/// Creates an object of the user.
///
/// # Errors
/// The response of the API server if it rejects the object.
pub(super) fn create(world: &World, subject: &Subject) -> Result<Value, Value> {
    user::create_as_is(world, subject)
}

/// Starts the controllers of Kubernetes.
pub(super) fn controllers(world: &World) {
    collector::start(world);
    rollouts::start(world);
    jobs::start(world);
    pods::start(world);
}

/// At the end of the faults, deletes all objects of other owners in half of the seeds.
pub(super) fn strangers_leave(world: &World) {
    let mut rng = world.plan().rng("strangers leave");
    if rng.bool() {
        intruder::leave_all(world);
    }
}

/// Deletes all objects of the user. Returns the deleted ones: a webhook may reject a deletion.
pub(super) fn end(world: &World, subjects: &[Subject]) -> Vec<Subject> {
    let mut rng = world.plan().rng("end");
    let mut going = subjects.to_vec();
    going.retain(|subject| {
        user::delete(world, subject, &mut rng) || world.find(&subject.target).is_none()
    });
    going
}

/// Repeats an action until the faults end, every `seconds` on average at the highest rate.
fn often<F>(world: &World, fault: Fault, seconds: f64, mut act: F)
where
    F: FnMut(&World, &mut Rng) + Send + 'static,
{
    let rate = world.plan().rate(fault);
    if rate == 0.0 {
        return;
    }
    let (world, mut rng) = (world.clone(), world.plan().rng(&fault.to_string()));
    outside(async move {
        loop {
            sleep(between(&mut rng, seconds / rate)).await;
            if world.is_calm() {
                return;
            }
            act(&world, &mut rng);
        }
    });
}

/// Repeats an action every half second until the end of the simulation.
fn always<F>(world: &World, name: &str, mut act: F)
where
    F: FnMut(&World, &mut Rng) + Send + 'static,
{
    let (world, mut rng) = (world.clone(), world.plan().rng(name));
    outside(async move {
        loop {
            sleep(Duration::from_millis(500)).await;
            act(&world, &mut rng);
        }
    });
}

/// A random time between two events that occur every `seconds` on average.
fn between(rng: &mut Rng, seconds: f64) -> Duration {
    let share = -(1.0 - rng.f64()).ln();
    Duration::from_secs_f64((seconds * share).clamp(0.001, 3600.0))
}

/// A random time between `from` and `to` seconds.
fn seconds(rng: &mut Rng, from: f64, to: f64) -> Duration {
    Duration::from_secs_f64(from + (to - from) * rng.f64())
}

/// A random element, if there is any.
fn one_of<'a, T>(rng: &mut Rng, of: &'a [T]) -> Option<&'a T> {
    if of.is_empty() {
        None
    } else {
        of.get(rng.usize(..of.len()))
    }
}
