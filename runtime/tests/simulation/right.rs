//! The invariant of any operator of these kinds: every object has exactly the children in its spec.

use std::fmt::Debug;

use k8s_openapi::api::core::v1::{ConfigMap, Service};
use kube::{Resource, ResourceExt};
use rop_runtime::simulation::World;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::kinds::{App, OPERATOR, Vault, Zone, is_owned};
use crate::operator::{deployment, greeting, map, secret, service};

/// A type of objects.
trait Object: Debug + DeserializeOwned + Resource<DynamicType = ()> + Serialize {}
impl<T: Debug + DeserializeOwned + Resource<DynamicType = ()> + Serialize> Object for T {}

/// Returns the first violation. Objects that wait for a Secret, or for a name that another owner has, are skipped.
pub(crate) fn right(world: &World) -> Result<(), String> {
    for app in living::<App>(world) {
        let waits = app
            .spec
            .secret
            .is_some_and(|secret| secret.name() == "absent");
        if waits {
            continue;
        }
        let (name, namespace) = (app.name_any(), app.namespace().unwrap_or_default());
        let port = app.spec.port.map(|port| service(&name, port));
        verdict([
            is_as(world, &app, &namespace, &name, greeting(&app).as_ref()),
            is_as::<Service>(world, &app, &namespace, &name, port.as_ref()),
            is_as(world, &app, &namespace, &name, Some(&deployment(&app))),
        ])?;
    }
    for vault in living::<Vault>(world) {
        let namespace = vault.namespace().unwrap_or_default();
        let (here, away) = (secret(&vault, None), secret(&vault, Some("vaults")));
        // No owner reference spans namespaces: a copy that is not in the spec is found by its name alone.
        let copy = vault.spec.copied.then_some(&away);
        verdict([
            is_as(world, &vault, &namespace, &here.name_any(), Some(&here)),
            match copy {
                Some(copy) => holds(world, "vaults", copy),
                None => is_absent(world, "vaults", &away),
            },
        ])?;
    }
    for zone in living::<Zone>(world) {
        verdict([0, 1, 2, 3].map(|number| {
            let map = map(&zone, number);
            let wanted = (number < zone.spec.maps).then_some(&map);
            is_as::<ConfigMap>(world, &zone, OPERATOR, &map.name_any(), wanted)
        }))?;
    }
    Ok(())
}

/// The objects that are not being deleted.
fn living<T: Object>(world: &World) -> impl Iterator<Item = T> {
    let is_living = |object: &T| object.meta().deletion_timestamp.is_none();
    world.list::<T>().into_iter().filter(is_living)
}

/// The state of a child.
enum Found {
    Right,
    Wrong(String),
    /// An object of another owner has its name, so its owner cannot proceed.
    Strangers,
}

/// The first violation, unless an object of another owner has the name of a child.
fn verdict<const N: usize>(children: [Found; N]) -> Result<(), String> {
    let mut wrong = None;
    for child in children {
        match child {
            Found::Right => {}
            Found::Wrong(why) => wrong = wrong.or(Some(why)),
            Found::Strangers => return Ok(()),
        }
    }
    wrong.map_or(Ok(()), Err)
}

/// Whether a child matches its owner's spec, or is missing if it should be.
fn is_as<T: Object>(
    world: &World,
    owner: &impl Resource,
    namespace: &str,
    name: &str,
    wanted: Option<&T>,
) -> Found {
    let found = world.get::<T>(Some(namespace), name);
    let is_owned = found.as_ref().is_some_and(|found| is_owned(found, owner));
    match wanted {
        Some(wanted) => match compared(world, found, wanted) {
            Found::Right if !is_owned => wrong::<T>(name, "is not its owner's"),
            found => found,
        },
        None if is_owned => wrong::<T>(name, "is not asked for"),
        None => Found::Right,
    }
}

/// The state of a child compared with the desired one.
fn holds<T: Object>(world: &World, namespace: &str, wanted: &T) -> Found {
    let found = world.get(Some(namespace), &wanted.name_any());
    compared(world, found, wanted)
}

fn compared<T: Object>(world: &World, found: Option<T>, wanted: &T) -> Found {
    let name = wanted.name_any();
    match found {
        None => wrong::<T>(&name, "is not there"),
        Some(found) if world.is_strangers(&found) => Found::Strangers,
        Some(found) if has(&json(&found), &json(wanted)) => Found::Right,
        Some(_) => wrong::<T>(&name, "is not as it is asked for"),
    }
}

fn is_absent<T: Object>(world: &World, namespace: &str, child: &T) -> Found {
    let name = child.name_any();
    match world.get::<T>(Some(namespace), &name) {
        Some(found) if !world.is_strangers(&found) => wrong::<T>(&name, "is not asked for"),
        _ => Found::Right,
    }
}

fn wrong<T: Object>(name: &str, what: &str) -> Found {
    Found::Wrong(format!("the {} {name} {what}", T::kind(&())))
}

fn json(object: &impl Serialize) -> Value {
    serde_json::to_value(object).expect("an object")
}

/// Whether a value has all desired fields: the API server adds defaults.
fn has(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::Object(found), Value::Object(wanted)) => wanted
            .iter()
            .all(|(name, wanted)| found.get(name).is_some_and(|found| has(found, wanted))),
        (Value::Array(found), Value::Array(wanted)) => {
            let mut pairs = found.iter().zip(wanted);
            found.len() == wanted.len() && pairs.all(|(found, wanted)| has(found, wanted))
        }
        (found, wanted) => found == wanted,
    }
}
