//! Changes of children by other clients, and objects of other owners with the names of children.

use std::collections::BTreeMap;
use std::sync::Arc;

use hyper::Method;
use serde_json::{Value, json};

use super::World;
use crate::labels::MANAGED_BY;
use crate::simulation::around::is_ended_job;
use crate::simulation::target::{Target, text};

/// The client that creates them.
const WHO: &str = "stranger";

impl World {
    /// The objects of other owners, by uid.
    pub(in crate::simulation) fn strangers(&self) -> BTreeMap<String, Target> {
        self.state().strangers.clone()
    }

    /// The uid of the object of another owner that a target is.
    pub(in crate::simulation) fn stranger_at(&self, target: &Target) -> Option<String> {
        let uid = text(&*self.find(target)?, "uid").to_owned();
        self.state().strangers.contains_key(&uid).then_some(uid)
    }

    /// Whether an object of another owner exists, or a child whose owner reference or label another client removed: the
    /// operator does not find one without its label that it no longer needs.
    pub(in crate::simulation) fn has_strangers(&self) -> bool {
        let objects = self.server().all_objects();
        let state = self.state();
        objects.iter().any(|object| {
            let uid = text(object, "uid");
            let has_label = || !object["metadata"]["labels"][MANAGED_BY].is_null();
            state.strangers.contains_key(uid)
                || state.orphans.contains(uid)
                || state.unlabelled.contains(uid) && !has_label()
        })
    }

    /// Replaces a child with an object of another owner.
    pub(in crate::simulation) fn swap(&self, target: &Target) {
        if self.delete_child(target)
            && let Some(child) = self.children().remove(target)
        {
            self.take_name(target, child);
        }
    }

    /// Deletes a child, unless its name belongs to an object of another owner. Returns whether there was one.
    pub(in crate::simulation) fn delete_child(&self, target: &Target) -> bool {
        let child = self.child(target);
        if let Some(child) = &child {
            self.does(WHO, &Method::DELETE, &target.path(), &Value::Null);
            if is_ended_job(child) {
                self.marks_owner(child);
            }
        }
        child.is_some()
    }

    /// The current child, unless its name belongs to an object of another owner.
    pub(in crate::simulation) fn child(&self, target: &Target) -> Option<Arc<Value>> {
        let live = self.find(target)?;
        let state = self.state();
        let is_strangers = state.strangers.contains_key(text(&live, "uid"));
        (state.children.contains_key(target) && !is_strangers).then_some(live)
    }

    /// Creates an object of another owner with the content of a child, if its name is free.
    pub(in crate::simulation) fn take_name(&self, target: &Target, child: Value) {
        let mut object = child;
        object["metadata"] = json!({ "name": target.name, "namespace": target.namespace });
        if let Value::Object(fields) = &mut object {
            fields.remove("status");
        }
        let collection = Target {
            name: String::new(),
            ..target.clone()
        };
        if let Some(created) = self.does(WHO, &Method::POST, &collection.path(), &object) {
            let uid = text(&created, "uid").to_owned();
            self.state().strangers.insert(uid, target.clone());
        }
    }

    /// Deletes an object of another owner, if it still exists.
    pub(in crate::simulation) fn take_away(&self, uid: &str, target: &Target) {
        let found = self.find(target);
        if found.is_some_and(|object| text(&object, "uid") == uid) {
            self.does(WHO, &Method::DELETE, &target.path(), &Value::Null);
        }
    }
}
