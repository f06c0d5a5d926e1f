//! Another client that changes children, and creates objects with their names.

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
    for (fault, seconds, act) in CHANGES {
        often(world, fault, seconds, act);
    }
    often(world, Fault::Stranger, 6.0, |world, rng| {
        if rng.u8(..3) == 0 {
            leave(world, rng);
        } else {
            intrude(world, rng);
        }
    });
}

/// Changes a child.
type Change = fn(&World, &mut Rng);

/// The changes of children, and the average number of seconds between two of them.
const CHANGES: [(Fault, f64, Change); 4] = [
    (Fault::ChildEdited, 8.0, edit),
    (Fault::ChildDeleted, 10.0, delete_any),
    (Fault::LabelRemoved, 15.0, remove_label),
    (Fault::OwnerRemoved, 15.0, remove_owner),
];

/// Makes one of the changes that this world has.
pub(super) fn act(world: &World, rng: &mut Rng) {
    let mut changes = Vec::from(CHANGES);
    changes.retain(|(fault, ..)| world.plan().rate(*fault) > 0.0);
    if let Some((.., act)) = one_of(rng, &changes) {
        act(world, rng);
    }
}

fn edit(world: &World, rng: &mut Rng) {
    if let Some((target, object)) = living(world, rng)
        && let Some(change) = change(&object, rng)
    {
        patch(world, &target, &change);
    }
}

fn delete_any(world: &World, rng: &mut Rng) {
    if let Some((target, _)) = living(world, rng) {
        world.delete_child(&target);
    }
}

/// Deletes an object.
pub(in crate::simulation) fn delete(world: &World, target: &Target) -> Option<Value> {
    world.does(WHO, &Method::DELETE, &target.path(), &Value::Null)
}

fn remove_label(world: &World, rng: &mut Rng) {
    if let Some((target, object)) = living(world, rng) {
        unlabel(world, &target, &object);
    }
}

/// Removes the labels of all children, if this world has that fault.
pub(super) fn remove_labels(world: &World) {
    if world.plan().rate(Fault::LabelRemoved) == 0.0 {
        return;
    }
    for target in world.children().into_keys() {
        if let Some(object) = world.child(&target) {
            unlabel(world, &target, &object);
        }
    }
}

/// Removes the label by which the operator finds a child.
fn unlabel(world: &World, target: &Target, object: &Value) {
    world.unlabelled(text(object, "uid"));
    let change = json!({ "metadata": { "labels": { MANAGED_BY: null } } });
    patch(world, target, &change);
}

fn remove_owner(world: &World, rng: &mut Rng) {
    if let Some((target, object)) = living(world, rng) {
        remove_owners(world, &target, &object);
    }
}

/// Removes the owner references of an object.
pub(in crate::simulation) fn remove_owners(
    world: &World,
    target: &Target,
    object: &Value,
) -> Option<Value> {
    world.orphaned(text(object, "uid"));
    let change = json!({ "metadata": { "ownerReferences": null } });
    patch(world, target, &change)
}

/// Changes an object by a merge patch. Returns it if the API server accepted the patch.
pub(in crate::simulation) fn patch(
    world: &World,
    target: &Target,
    change: &Value,
) -> Option<Value> {
    world.does(WHO, &Method::PATCH, &target.path(), change)
}

/// The same for the status of an object.
pub(in crate::simulation) fn patch_status(
    world: &World,
    target: &Target,
    change: &Value,
) -> Option<Value> {
    world.does(WHO, &Method::PATCH, &target.status_path(), change)
}

/// An existing child that is not an object of another owner.
fn living(world: &World, rng: &mut Rng) -> Option<(Target, Arc<Value>)> {
    let mut all: Vec<_> = world.children().into_keys().collect();
    rng.shuffle(&mut all);
    all.into_iter().find_map(|target| {
        let object = world.child(&target)?;
        Some((target, object))
    })
}

/// Creates an object of another owner with the name of a missing child, or in place of an existing one.
fn intrude(world: &World, rng: &mut Rng) {
    if rng.u8(..3) == 0
        && let Some((target, _)) = living(world, rng)
    {
        return world.swap(&target);
    }
    let mut all: Vec<_> = world.children().into_iter().collect();
    rng.shuffle(&mut all);
    let absent = |(target, _): &(Target, Value)| world.find(target).is_none();
    if let Some((target, child)) = all.into_iter().find(absent) {
        world.take_name(&target, child);
    }
}

/// Deletes an object of another owner.
fn leave(world: &World, rng: &mut Rng) {
    let strangers: Vec<_> = world.strangers().into_iter().collect();
    if let Some((uid, target)) = one_of(rng, &strangers) {
        world.take_away(uid, target);
    }
}

/// Deletes all objects of other owners.
pub(super) fn leave_all(world: &World) {
    for (uid, target) in world.strangers() {
        world.take_away(&uid, &target);
    }
}

/// A change of one value of an object, as a merge patch.
fn change(object: &Value, rng: &mut Rng) -> Option<Value> {
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
        Value::Number(number) => json!(number.as_i64()?.checked_add(1)?),
        Value::Bool(is_so) => json!(!is_so),
        // Three more letters in Base64.
        Value::String(text) if object["kind"] == "Secret" && place[0] == "data" => {
            json!(format!("eHh4{text}"))
        }
        Value::String(text) => json!(format!("{text}x")),
        _ => return None,
    };
    Some(nested(place, changed))
}

/// A merge patch that sets the value at a path.
pub(in crate::simulation) fn nested(path: &[String], value: Value) -> Value {
    let wrap = |inner, part: &String| Value::Object(Map::from_iter([(part.clone(), inner)]));
    path.iter().rev().fold(value, wrap)
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
