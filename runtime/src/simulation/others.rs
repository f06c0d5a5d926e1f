//! What others add to an object must stay: labels and annotations, as `kubectl` and other controllers add, and conditions
//! of other controllers in its status.

use std::sync::Arc;

use serde_json::{Value, json};

use super::around::intruder;
use super::check::{condition, is_spoken_for};
use super::subject::{Conditions, Subject};
use super::target::{Target, text};
use super::world::World;

const INVARIANT: &str = "fields of others are kept";

/// The label and the annotation that others add.
const NOTE: &str = "others.example.com/note";

const KEPT: &str = "kept";

/// The type of the condition that others add.
const CONDITION: &str = "others.example.com/Noted";

/// What others have added to an object.
pub(super) struct Noted<'a> {
    target: &'a Target,
    /// The object with it.
    object: Value,
    has_condition: bool,
}

impl<'a> Noted<'a> {
    /// Adds a label and an annotation to an object. `None` if the API server refuses that.
    pub(super) fn add(world: &World, target: &'a Target) -> Option<Self> {
        let object = intruder::patch(world, target, &note(Some(KEPT)))?;
        Some(Self {
            target,
            object,
            has_condition: false,
        })
    }

    /// Adds the same to an object of the user, and a condition to its status if the schema lets several clients have
    /// theirs: a list with the key `type`.
    pub(super) fn add_with_condition(world: &World, subject: &'a Subject) -> Option<Self> {
        let mut noted = Self::add(world, &subject.target)?;
        // Most other programs replace the list.
        let is_shared = subject.conditions == Conditions::OfSeveral && !world.is_foreign();
        if !is_shared || !is_spoken_for(world, subject) {
            return Some(noted);
        }
        let object = world.find_in_version(&subject.target)?;
        let conditions = object["status"]["conditions"].as_array();
        let mut conditions = conditions.cloned().unwrap_or_default();
        let Some(mut another) = conditions.first().cloned() else {
            return Some(noted);
        };
        another["type"] = CONDITION.into();
        conditions.push(another);
        let change = json!({ "status": { "conditions": conditions } });
        noted.has_condition = intruder::patch_status(world, &subject.target, &change).is_some();
        Some(noted)
    }

    /// Checks that the operator has removed nothing of that, unless the object is gone.
    pub(super) fn stays(&self, world: &World) -> Option<()> {
        let target = self.target;
        let object = world.find(target);
        let is_same = |object: &Arc<Value>| text(object, "uid") == text(&self.object, "uid");
        let Some(object) = object.filter(is_same) else {
            return Some(());
        };
        let removed = |what: String| {
            let message =
                format!("another client added {what} to {target}, and the operator removed it");
            world.broken(INVARIANT, Some(&target.name), message);
        };
        for (field, what) in [("labels", "label"), ("annotations", "annotation")] {
            if object["metadata"][field][NOTE] != KEPT {
                removed(format!("the {what} {NOTE}"));
                return None;
            }
        }
        if self.has_condition && condition(&object, CONDITION).is_none() {
            removed(format!("the condition {CONDITION}"));
            return None;
        }
        Some(())
    }

    /// Removes the label and the annotation.
    pub(super) fn remove(&self, world: &World) {
        intruder::patch(world, self.target, &note(None));
    }
}

fn note(text: Option<&str>) -> Value {
    json!({ "metadata": { "labels": { NOTE: text }, "annotations": { NOTE: text } } })
}
