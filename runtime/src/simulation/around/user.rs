//! The user of the operator, who creates, changes, deletes and recreates objects.

use fastrand::Rng;
use hyper::Method;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{between, one_of, seconds};
use crate::simulation::fault::Fault;
use crate::simulation::mutate::mutate;
use crate::simulation::process::outside;
use crate::simulation::references::redirect;
use crate::simulation::subject::Subject;
use crate::simulation::world::World;

pub(super) const WHO: &str = "user";

pub(super) fn start(world: &World, subjects: &[Subject]) {
    let (world, mut rng) = (world.clone(), world.plan().rng(WHO));
    let subjects = subjects.to_vec();
    outside(async move {
        for subject in &subjects {
            sleep(seconds(&mut rng, 0.0, 5.0)).await;
            create(&world, subject, &subjects, &mut rng);
        }
        while !world.is_calm() {
            sleep(between(&mut rng, 12.0)).await;
            let Some(subject) = one_of(&mut rng, &subjects) else {
                return;
            };
            if world.is_calm() {
                return;
            }
            step(&world, subject, &subjects, &mut rng);
            if rng.f64() < world.plan().rate(Fault::Burst) {
                sleep(seconds(&mut rng, 0.0, 0.1)).await;
                step(&world, subject, &subjects, &mut rng);
            }
        }
    });
}

/// Creates, changes or deletes an object.
pub(super) fn step(world: &World, subject: &Subject, subjects: &[Subject], rng: &mut Rng) {
    if world.find(&subject.target).is_none() {
        return create(world, subject, subjects, rng);
    }
    if rng.u8(..3) > 0 {
        if let Some(object) = world.find_in_version(&subject.target) {
            change(world, subject, subjects, &object, rng);
        }
        return;
    }
    delete(world, subject, rng);
    if rng.f64() < world.plan().rate(Fault::MadeAgain) {
        create(world, subject, subjects, rng);
    }
}

fn create(world: &World, subject: &Subject, subjects: &[Subject], rng: &mut Rng) {
    let mut object = subject.object.clone();
    if rng.bool() {
        vary(&mut object, subject, subjects, rng);
    }
    let created = world.does(WHO, &Method::POST, &subject.collection(), &object);
    if created.is_none() && world.find(&subject.target).is_none() {
        // The changed object is invalid.
        let _ = create_as_is(world, subject);
    }
}

/// Creates an object without changes.
///
/// # Errors
/// The response of the API server if it rejects the object.
pub(super) fn create_as_is(world: &World, subject: &Subject) -> Result<Value, Value> {
    world.tries(WHO, &Method::POST, &subject.collection(), &subject.object)
}

fn change(world: &World, subject: &Subject, subjects: &[Subject], object: &Value, rng: &mut Rng) {
    let mut changed = object.clone();
    if rng.u8(..4) == 0 {
        changed["spec"] = subject.object["spec"].clone();
    } else {
        vary(&mut changed, subject, subjects, rng);
    }
    if changed["spec"] != object["spec"] {
        world.does(WHO, &Method::PUT, &subject.target.path(), &changed);
    }
}

/// Deletes an object. Returns whether that was accepted.
pub(in crate::simulation) fn delete(world: &World, subject: &Subject, rng: &mut Rng) -> bool {
    let is_foreground = rng.f64() < world.plan().rate(Fault::Foreground);
    let policy = if is_foreground {
        "Foreground"
    } else {
        "Background"
    };
    let options =
        json!({ "apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": policy });
    let path = subject.target.path();
    world.does(WHO, &Method::DELETE, &path, &options).is_some()
}

fn vary(object: &mut Value, subject: &Subject, subjects: &[Subject], rng: &mut Rng) {
    let Some(schema) = &subject.schema else {
        return;
    };
    let spec = &mut object["spec"];
    let targets: Vec<_> = subjects.iter().map(|subject| &subject.target).collect();
    for _ in 0..rng.u8(1..3) {
        // A random text would be the name of no object.
        if !redirect(spec, schema, &subject.target, &targets, rng) {
            mutate(spec, schema, rng);
        }
    }
}
