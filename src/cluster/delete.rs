use std::time::Duration;

use serde_json::Value;

use crate::error::{Code, Error, Result};
use crate::kubectl::Kubectl;
use crate::objects::{self, ObjectId, Objects, is_crd, is_policy, is_webhook_configuration};

use super::apply::{Action, Effect};
use super::wait::{Look, Say, humane, until};

/// What is taken out of a cluster.
#[derive(Clone, Debug)]
pub struct Deletion {
    /// What is there of it, in the order in which it goes.
    objects: Vec<Value>,
}

impl Deletion {
    /// Looks what of the objects is in the cluster.
    ///
    /// Webhooks and policies go first: what they refuse, or where nobody answers, no finalizer could be taken off.
    /// Then the CRDs, with the operator still at work: it is the one that takes them off. The rest goes in the opposite order of an apply.
    ///
    /// # Errors
    /// The objects cannot be read.
    pub fn new(kubectl: &Kubectl, objects: &Objects) -> Result<Self> {
        let mut ordered: Vec<Value> = objects.iter().rev().cloned().collect();
        ordered.sort_by_key(step);
        if ordered.is_empty() {
            return Ok(Self { objects: ordered });
        }
        let live = kubectl.live(&objects::list(&ordered))?;
        ordered.retain(|object| objects::find(&live, &ObjectId::of(object)).is_some());
        Ok(Self { objects: ordered })
    }

    /// What goes.
    pub fn effects(&self) -> Vec<Effect> {
        let effect = |object| Effect {
            id: ObjectId::of(object),
            action: Action::Delete,
        };
        self.objects.iter().map(effect).collect()
    }
}

/// When an object goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Admission,
    Crds,
    Rest,
}

fn step(object: &Value) -> Step {
    match object {
        _ if is_webhook_configuration(object) || is_policy(object) => Step::Admission,
        _ if is_crd(object) => Step::Crds,
        _ => Step::Rest,
    }
}

/// Deletes, and waits after each step until it is gone.
///
/// # Errors
/// The API server refuses it, or something does not go in time. Then the rest stays.
pub fn delete(
    kubectl: &Kubectl,
    deletion: &Deletion,
    timeout: Duration,
    say: Say<'_>,
) -> Result<()> {
    for objects in deletion.objects.chunk_by(|a, b| step(a) == step(b)) {
        let arguments = ["delete", "--ignore-not-found", "--wait=false", "-f", "-"];
        let list = objects::list(objects);
        kubectl.text(&arguments, Some(&list))?;
        let gone = until(timeout, &mut *say, || {
            let left = kubectl.live(&list)?;
            Ok(if left.is_empty() {
                Look::Done(())
            } else {
                Look::NotYet(names(&left))
            })
        })?;
        gone.map_err(|left| stuck(&left, timeout))?;
    }
    Ok(())
}

fn names(objects: &[Value]) -> String {
    let names: Vec<String> = objects
        .iter()
        .map(|object| ObjectId::of(object).to_string())
        .collect();
    names.join(", ")
}

fn stuck(left: &str, timeout: Duration) -> Error {
    Error::new(Code::NotDeleted, format!("not deleted after {}: {left}", humane(timeout)))
        .hint("the operator must remove finalizers: start it with `rop run` or `rop deploy`, and run the command \
            again")
        .hint("or wait longer with `--timeout`")
}
