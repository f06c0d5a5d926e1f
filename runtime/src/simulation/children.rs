//! The children in a cluster, with the objects of the user that they belong to.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::around::is_of_another_operator;
use super::references::texts;
use super::subject::Subject;
use super::target::{Target, text};
use super::world::World;

/// An object that the operator has created.
pub(super) struct Child {
    pub(super) target: Target,
    pub(super) object: Arc<Value>,
    /// The object of the user that it belongs to.
    pub(super) of: Option<Target>,
}

/// All children in a cluster.
pub(super) struct Children<'a> {
    pub(super) world: &'a World,
    pub(super) all: Vec<Child>,
}

impl<'a> Children<'a> {
    pub(super) fn in_world(world: &'a World, subjects: &[Subject]) -> Self {
        let living = subjects.iter().filter_map(|subject| {
            let object = world.find(&subject.target)?;
            Some((text(&object, "uid").to_owned(), subject.target.clone()))
        });
        let living: BTreeMap<_, _> = living.collect();
        let created = world.created().into_iter().filter_map(|target| {
            let object = world.find(&target)?;
            Some(Child {
                of: root(world, &object, |uid| living.get(uid).cloned()),
                target,
                object,
            })
        });
        Self {
            all: created.collect(),
            world,
        }
    }

    /// The children of an object of the user.
    pub(super) fn of<'b>(&'b self, owner: Option<&'b Target>) -> impl Iterator<Item = &'b Child> {
        let all = self.all.iter();
        all.filter(move |child| owner.is_some() && child.of.as_ref() == owner)
    }

    /// Whether another operator may create what a child needs: one of its siblings is of that operator's kinds.
    pub(super) fn has_another_operator(&self, child: &Child) -> bool {
        let mut siblings = self.of(child.of.as_ref());
        siblings.any(|sibling| is_of_another_operator(self.world, &sibling.target))
    }

    /// The object of the user that a child belongs to.
    pub(super) fn owner(&self, child: &Child) -> Option<Arc<Value>> {
        self.world.find(child.of.as_ref()?)
    }

    /// Whether the user has written all texts of a value, such as a selector for Pods that are not simulated.
    pub(super) fn is_given(&self, child: &Child, value: &Value) -> bool {
        self.owner(child).is_some_and(|owner| {
            let written = texts(&owner["spec"]);
            texts(value).iter().all(|value| written.contains(value))
        })
    }
}

/// The object of the user at the end of the owners of an object.
pub(super) fn root(
    world: &World,
    object: &Value,
    subject: impl Fn(&str) -> Option<Target>,
) -> Option<Target> {
    let mut owners = object["metadata"]["ownerReferences"].as_array().cloned();
    // Owners do not form longer chains.
    for _ in 0..8 {
        let owner = owners?.into_iter().next()?;
        let uid = owner["uid"].as_str()?;
        if let Some(target) = subject(uid) {
            return Some(target);
        }
        let object = world.find(&world.created_as(uid)?)?;
        owners = object["metadata"]["ownerReferences"].as_array().cloned();
    }
    None
}
