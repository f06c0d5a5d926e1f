//! What the operator promises, one thing at a time in a cluster without faults: what others delete or change comes back
//! long before the resync, and objects can be deleted and created again.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::around::{self, intruder};
use super::check::{END, condition, goes_on, is_spoken_for, left};
use super::crew::Crew;
use super::difference::has_keys;
use super::fresh::{Left, Made};
use super::managers::{is_going, of_child};
use super::others::Noted;
use super::ready::get_ready;
use super::setup::Setup;
use super::subject::Subject;
use super::target::{Target, text};
use super::world::World;

/// The invariant of children.
const REPAIRED: &str = "what others change is repaired";

/// The invariant of the user's objects.
const AGAIN: &str = "objects can be deleted and created again";

/// How long the operator may take to notice a change.
const ANSWER: Duration = Duration::from_secs(5);

/// How long a repair may take. It does not wait for the resync.
const WITHIN: Duration = Duration::from_secs(60);

/// The same for a name that another owner had: the operator hears nothing of that object, and tries again less and less
/// often.
const FREED: Duration = Duration::from_secs(10 * 60);

const STEP: Duration = Duration::from_secs(1);

/// Maximum number of fields of one child that are changed.
const FIELDS: usize = 30;

/// What the other client does to a child.
#[derive(Debug)]
enum Deed {
    Delete,
    RemoveOwners,
    /// Changes or removes a field that the operator has set.
    Set(Vec<String>, Value),
}

/// Checks all promises. Returns `None` if one is not kept.
pub(super) async fn check(
    setup: &Setup,
    world: &World,
    crew: &Crew,
    subjects: &[Subject],
) -> Option<()> {
    let noted = subjects
        .iter()
        .filter_map(|subject| Noted::add_with_condition(world, subject));
    let noted: Vec<_> = noted.collect();
    for target in world.created() {
        let Some(child) = child(setup, world, &target) else {
            continue;
        };
        let mut deeds = vec![Deed::Delete];
        // The watches of kube do not know the owner that a child had.
        if !world.is_foreign() && condition_of_owner(world, subjects, &child).is_some() {
            deeds.push(Deed::RemoveOwners);
        }
        deeds.extend(changes(&child, &world.names().operator));
        for deed in deeds {
            one(setup, world, crew, subjects, &target, &deed).await?;
        }
        others(setup, world, crew, &target).await?;
        taken(setup, world, crew, &target).await?;
    }
    for noted in noted {
        noted.stays(world)?;
    }
    again(setup, world, crew, subjects).await
}

/// A child that the operator keeps as it is. Jobs run once, objects with a history may not come back, and what has a
/// random name is another object each time.
fn child(setup: &Setup, world: &World, target: &Target) -> Option<Value> {
    let object = world.find(target)?;
    let is_kept = world.has_created(&object)
        && !is_going(&object)
        && !setup.has_history(object["kind"].as_str())
        && object["kind"] != "Job"
        && text(&object, "generateName").is_empty();
    is_kept.then(|| Value::clone(&object))
}

/// Changes a child, and waits until it is as before.
async fn one(
    setup: &Setup,
    world: &World,
    crew: &Crew,
    subjects: &[Subject],
    target: &Target,
    deed: &Deed,
) -> Option<()> {
    let Some(before) = child(setup, world, target) else {
        return Some(());
    };
    if !deed.is_done(world, target, &before) {
        return Some(());
    }
    let end = world.elapsed() + WITHIN;
    while world.elapsed() < end {
        goes_on(setup, world, crew, STEP).await?;
        let after = world.find(target);
        if after.is_some_and(|after| deed.is_repaired(&before, &after)) {
            world.repaired();
            return Some(());
        }
        // Nobody can tell whose object it is: that is for a person to decide.
        let is_refused = || {
            let ready = condition_of_owner(world, subjects, &before);
            ready.is_some_and(|ready| ready["status"] != "True")
        };
        if matches!(deed, Deed::RemoveOwners) && is_refused() {
            world.repaired();
            intruder::delete(world, target);
            return get_ready(setup, world, crew, subjects).await;
        }
    }
    let message = format!("another client {deed} {target}, and {WITHIN:?} later that is still so");
    world.broken(REPAIRED, Some(&target.name), message);
    None
}

/// Adds a label and an annotation to a child, and checks that they stay.
async fn others(setup: &Setup, world: &World, crew: &Crew, target: &Target) -> Option<()> {
    let Some(noted) = Noted::add(world, target) else {
        return Some(());
    };
    goes_on(setup, world, crew, ANSWER).await?;
    noted.stays(world)?;
    noted.remove(world);
    Some(())
}

/// Replaces a child with an object of another owner, which the operator must not change, and deletes that. Then the
/// operator creates the child again, unless it has taken another name.
async fn taken(setup: &Setup, world: &World, crew: &Crew, target: &Target) -> Option<()> {
    // Most other programs change whatever has the name.
    if world.is_foreign() || child(setup, world, target).is_none() {
        return Some(());
    }
    let before = world.created();
    world.swap(target);
    let Some(stranger) = world.stranger_at(target) else {
        return Some(());
    };
    goes_on(setup, world, crew, ANSWER).await?;
    world.take_away(&stranger, target);
    let is_other =
        |created: &Target| created.resource() == target.resource() && !before.contains(created);
    let end = world.elapsed() + FREED;
    while world.elapsed() < end {
        goes_on(setup, world, crew, STEP).await?;
        if world.child(target).is_some() || world.created().iter().any(is_other) {
            world.repaired();
            return Some(());
        }
    }
    let message = format!(
        "an object of another owner had the name of {target} and was deleted, and {FREED:?} later {target} does not exist"
    );
    world.broken(REPAIRED, Some(&target.name), message);
    None
}

/// The condition `Ready` of the user's object that controls a child.
fn condition_of_owner(world: &World, subjects: &[Subject], child: &Value) -> Option<Value> {
    let references = child["metadata"]["ownerReferences"].as_array()?;
    let is_owner = |object: &Arc<Value>| {
        let uid = &object["metadata"]["uid"];
        references.iter().any(|reference| reference["uid"] == *uid)
    };
    let mut spoken_for = subjects
        .iter()
        .filter(|subject| is_spoken_for(world, subject));
    let owner =
        spoken_for.find_map(|subject| world.find(&subject.target).filter(|it| is_owner(it)))?;
    condition(&owner, "Ready").cloned()
}

/// Deletes all objects of the user and creates them again.
async fn again(setup: &Setup, world: &World, crew: &Crew, subjects: &[Subject]) -> Option<()> {
    settled(setup, world, crew).await?;
    let before = Made::in_world(setup, world, subjects);
    let going = around::end(world, subjects);
    if let Err(target) = gone(setup, world, crew, subjects, &going).await? {
        let is_made = world
            .find(&target)
            .is_none_or(|object| world.has_created(&object));
        let what = if is_made {
            "exists"
        } else {
            "has what the operator has added to it,"
        };
        let message = format!("{target} still {what} {END:?} after the samples were deleted");
        world.broken(AGAIN, Some(&target.name), message);
        return None;
    }
    get_ready(setup, world, crew, subjects).await?;
    settled(setup, world, crew).await?;
    let again = Made::in_world(setup, world, subjects);
    let _ = setup.drawn.set(before.drawn(&again));
    drawn_again(setup, world, crew, subjects).await
}

/// Deletes each child with random values: what copies them must follow.
async fn drawn_again(
    setup: &Setup,
    world: &World,
    crew: &Crew,
    subjects: &[Subject],
) -> Option<()> {
    let has_drawn = |target: &Target| {
        let resource = target.group_resource();
        setup.drawn().iter().any(|(drawn, _)| *drawn == resource)
    };
    for target in world.created().into_iter().filter(has_drawn) {
        if child(setup, world, &target).is_none() || intruder::delete(world, &target).is_none() {
            continue;
        }
        goes_on(setup, world, crew, ANSWER).await?;
        settled(setup, world, crew).await?;
        if let Some(left) = Left::in_world(setup, world, subjects) {
            let after = format!("another client deleted {target}, and ");
            left.compare(setup, world, subjects, &after).await;
        }
        world.first_broken().is_none().then_some(())?;
    }
    Some(())
}

/// Waits until the operator has written nothing for a while.
async fn settled(setup: &Setup, world: &World, crew: &Crew) -> Option<()> {
    let end = world.elapsed() + WITHIN;
    while world.quiet_for() < ANSWER && world.elapsed() < end {
        goes_on(setup, world, crew, STEP).await?;
    }
    Some(())
}

/// Waits until nothing is left of deleted objects. Returns what still is. `None` if an invariant is violated.
pub(super) async fn gone(
    setup: &Setup,
    world: &World,
    crew: &Crew,
    subjects: &[Subject],
    going: &[Subject],
) -> Option<Result<(), Target>> {
    let is_all = going.len() == subjects.len();
    let end = world.elapsed() + END;
    while let Some((_, target, _)) = left(world, going, is_all) {
        goes_on(setup, world, crew, STEP).await?;
        if world.elapsed() > end {
            return Some(Err(target));
        }
    }
    Some(Ok(()))
}

impl Deed {
    /// Whether the API server accepts the deed, and it changes something.
    fn is_done(&self, world: &World, target: &Target, before: &Value) -> bool {
        let after = match self {
            Self::Delete => intruder::delete(world, target),
            Self::RemoveOwners => intruder::remove_owners(world, target, before),
            Self::Set(field, value) => {
                intruder::patch(world, target, &intruder::nested(field, value.clone()))
            }
        };
        let revision = |object: &Value| text(object, "resourceVersion").to_owned();
        after.is_some_and(|after| {
            matches!(self, Self::Delete) || revision(&after) != revision(before)
        })
    }

    fn is_repaired(&self, before: &Value, after: &Value) -> bool {
        if is_going(after) {
            return false;
        }
        match self {
            // What was drawn at random is another one in a new object.
            Self::Delete => text(before, "uid") != text(after, "uid"),
            Self::RemoveOwners => {
                after["metadata"]["ownerReferences"] == before["metadata"]["ownerReferences"]
            }
            // Another value is one that the operator has set: an actor of the test may have changed what it is made of.
            Self::Set(field, value) => {
                let now = field.iter().try_fold(after, |now, name| now.get(name));
                now.unwrap_or(&Value::Null) != value
            }
        }
    }
}

/// As in "another client … it".
impl fmt::Display for Deed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Delete => formatter.write_str("deleted"),
            Self::RemoveOwners => formatter.write_str("removed the owner references of"),
            Self::Set(field, Value::Null) => {
                write!(formatter, "removed `{}` of", field.join("."))
            }
            Self::Set(field, value) => {
                write!(formatter, "set `{}` to {value} in", field.join("."))
            }
        }
    }
}

/// Changes and removals of the fields of a child that the operator manages.
fn changes(child: &Value, operator: &str) -> Vec<Deed> {
    let mut fields = Vec::new();
    for tree in of_child(child, operator) {
        leaves(tree, child, operator, &mut Vec::new(), &mut fields);
    }
    // What a Secret holds can be drawn once, so that nobody can repair it.
    if child["kind"] == "Secret" {
        fields.retain(|(path, _)| path[0] == "metadata");
    }
    fields.truncate(FIELDS);
    let mut deeds = Vec::new();
    for (path, value) in fields {
        let Value::Array(lists) = value else {
            deeds.extend(other(&value).map(|other| Deed::Set(path.clone(), other)));
            deeds.push(Deed::Set(path, Value::Null));
            continue;
        };
        deeds.extend(lists.into_iter().map(|list| Deed::Set(path.clone(), list)));
    }
    deeds
}

/// The fields in a tree of `fieldsV1`, with their values. An item of a list has no path in a merge patch: for a list
/// with keys, the values are lists that each have another value in one item.
fn leaves(
    tree: &Value,
    value: &Value,
    operator: &str,
    path: &mut Vec<String>,
    found: &mut Vec<(Vec<String>, Value)>,
) {
    let fields = tree.as_object().into_iter().flatten();
    for (key, below) in fields {
        let Some(name) = key.strip_prefix("f:") else {
            continue;
        };
        let Some(value) = value.get(name).filter(|_| !names_owner(name, operator)) else {
            continue;
        };
        path.push(name.to_owned());
        let lists = changed_items(below, value);
        if !lists.is_empty() {
            found.push((path.clone(), lists.into()));
        } else if below.as_object().is_none_or(Map::is_empty) {
            found.push((path.clone(), value.clone()));
        } else {
            leaves(below, value, operator, path, found);
        }
        path.pop();
    }
}

/// Lists in which a text, a number or a boolean of one item is another one, for a tree of a list with keys.
fn changed_items(tree: &Value, list: &Value) -> Vec<Value> {
    let Some(items) = list.as_array() else {
        return Vec::new();
    };
    let mut lists = Vec::new();
    for (key, below) in tree.as_object().into_iter().flatten() {
        let keys = key.strip_prefix("k:").unwrap_or_default();
        let Ok(keys) = serde_json::from_str::<Value>(keys) else {
            continue;
        };
        let Some(index) = items.iter().position(|item| has_keys(item, &keys)) else {
            continue;
        };
        for (field, below) in below.as_object().into_iter().flatten() {
            let name = field.strip_prefix("f:").unwrap_or_default();
            let is_leaf = below.as_object().is_some_and(Map::is_empty);
            let Some(other) = other(&items[index][name]) else {
                continue;
            };
            if is_leaf && keys.get(name).is_none() {
                let mut changed = items.clone();
                changed[index][name] = other;
                lists.push(changed.into());
            }
        }
    }
    lists
}

/// Whether a field of the metadata has the owners, which are a deed of their own: an owner in another namespace is an
/// annotation of the operator.
fn names_owner(field: &str, operator: &str) -> bool {
    field == "ownerReferences" || field.split('/').next() == Some(operator)
}

/// Another value of the same type.
fn other(value: &Value) -> Option<Value> {
    match value {
        Value::Number(number) => Some(json!(number.as_i64()?.checked_add(1)?)),
        Value::Bool(is_so) => Some(json!(!is_so)),
        // Also another text in Base64.
        Value::String(text) => Some(json!(format!("eHh4{text}"))),
        _ => None,
    }
}
