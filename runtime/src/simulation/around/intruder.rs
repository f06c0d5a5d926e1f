//! Somebody who changes children, and who has objects under their names.

use std::sync::Arc;

use fastrand::Rng;
use hyper::Method;
use serde_json::{Map, Value, json};

use super::{often, one_of};
use crate::labels::MANAGED_BY;
use crate::simulation::fault::Fault;
use crate::simulation::target::{Target, text};
use crate::simulation::world::World;

const WHO: &str = "intruder";

pub(super) fn start(world: &World) {
    often(world, Fault::ChildEdited, 8.0, |world, rng| {
        let Some((target, object)) = living(world, rng) else {
            return;
        };
        if let Some(change) = edit(&object, rng) {
            patch(world, &target, &change);
        }
    });
    often(world, Fault::ChildDeleted, 10.0, |world, rng| {
        let Some((target, _)) = living(world, rng) else {
            return;
        };
        world.does(WHO, &Method::DELETE, &target.path(), &Value::Null);
    });
    often(world, Fault::LabelRemoved, 15.0, |world, rng| {
        let Some((target, _)) = living(world, rng) else {
            return;
        };
        patch(
            world,
            &target,
            &json!({ "metadata": { "labels": { MANAGED_BY: null } } }),
        );
    });
    often(world, Fault::OwnerRemoved, 15.0, |world, rng| {
        let Some((target, object)) = living(world, rng) else {
            return;
        };
        world.orphaned(text(&object, "uid"));
        patch(
            world,
            &target,
            &json!({ "metadata": { "ownerReferences": null } }),
        );
    });
    often(world, Fault::Stranger, 6.0, |world, rng| {
        if rng.u8(..3) == 0 {
            leave(world, rng);
        } else {
            intrude(world, rng);
        }
    });
}

fn patch(world: &World, target: &Target, change: &Value) {
    world.does(WHO, &Method::PATCH, &target.path(), change);
}

/// A child that is there, and is no stranger's.
fn living(world: &World, rng: &mut Rng) -> Option<(Target, Arc<Value>)> {
    let mut all: Vec<_> = world.children().into_keys().collect();
    rng.shuffle(&mut all);
    let strangers = world.strangers();
    all.into_iter().find_map(|target| {
        let object = world.find(&target)?;
        let is_strangers = strangers.contains_key(text(&object, "uid"));
        (!is_strangers).then_some((target, object))
    })
}

/// Puts an object under the name of a child that is not there, or in the place of one that is.
fn intrude(world: &World, rng: &mut Rng) {
    if rng.u8(..3) == 0
        && let Some((target, _)) = living(world, rng)
    {
        world.does(WHO, &Method::DELETE, &target.path(), &Value::Null);
    }
    let mut all: Vec<_> = world.children().into_iter().collect();
    rng.shuffle(&mut all);
    let absent = all
        .into_iter()
        .find(|(target, _)| world.find(target).is_none());
    let Some((target, mut object)) = absent else {
        return;
    };
    object["metadata"] = json!({ "name": target.name, "namespace": target.namespace });
    if let Value::Object(fields) = &mut object {
        fields.remove("status");
    }
    let collection = Target {
        name: String::new(),
        ..target.clone()
    };
    if let Some(made) = world.does(WHO, &Method::POST, &collection.path(), &object) {
        world.add_stranger(text(&made, "uid").to_owned(), target);
    }
}

/// Takes an object of a stranger away.
pub(super) fn leave(world: &World, rng: &mut Rng) {
    let strangers: Vec<_> = world.strangers().into_iter().collect();
    if let Some((uid, target)) = one_of(rng, &strangers) {
        take_away(world, uid, target);
    }
}

/// Takes all objects of strangers away.
pub(super) fn leave_all(world: &World) {
    for (uid, target) in world.strangers() {
        take_away(world, &uid, &target);
    }
}

fn take_away(world: &World, uid: &str, target: &Target) {
    let found = world.find(target);
    if found.is_some_and(|object| text(&object, "uid") == uid) {
        world.does(WHO, &Method::DELETE, &target.path(), &Value::Null);
    }
}

/// A change of one of the values of an object, as a merge patch.
fn edit(object: &Value, rng: &mut Rng) -> Option<Value> {
    let mut places = Vec::new();
    for field in ["spec", "data", "stringData", "rules"] {
        leaves(&object[field], &mut vec![field.to_owned()], &mut places);
    }
    if let Some(labels) = object["metadata"]["labels"].as_object() {
        let path = |label: &String| vec!["metadata".to_owned(), "labels".to_owned(), label.clone()];
        places.extend(labels.keys().filter(|label| *label != MANAGED_BY).map(path));
    }
    let place = one_of(rng, &places)?;
    let changed = match place
        .iter()
        .try_fold(object, |value, part| value.get(part))?
    {
        _ if rng.u8(..4) == 0 => Value::Null,
        Value::Number(number) => json!(number.as_i64()? + 1),
        Value::Bool(is_so) => json!(!is_so),
        Value::String(text) => json!(format!("{text}x")),
        _ => return None,
    };
    let wrap = |inner, part: &String| Value::Object(Map::from_iter([(part.clone(), inner)]));
    Some(place.iter().rev().fold(changed, wrap))
}

/// The paths to all values that are not in a list.
fn leaves(value: &Value, path: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                path.push(name.clone());
                leaves(field, path, found);
                path.pop();
            }
        }
        Value::Null | Value::Array(_) => {}
        _ => found.push(path.clone()),
    }
}
