use serde::Serialize;
use serde_json::Value;

use crate::error::Result;
use crate::kubectl::Kubectl;
use crate::objects::{self, ObjectId, Objects};

use super::object;

/// What an object in the cluster comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// It was not there.
    Create,
    /// It is given other fields.
    Update,
    /// It goes.
    Delete,
}

/// A change of one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// Which object.
    pub id: ObjectId,
    /// What happens to it.
    pub action: Action,
}

/// How an apply is made.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mode {
    /// Whether fields that others set are taken over.
    pub force_conflicts: bool,
}

/// What applying would change. The API server is asked to do it without keeping it, and so it says
/// what it would refuse before anything is changed.
///
/// What is in a namespace that is not there yet cannot be asked for: it is created.
///
/// # Errors
/// The API server refuses something.
pub fn dry_run(kubectl: &Kubectl, objects: &Objects, mode: Mode) -> Result<Vec<Effect>> {
    if objects.is_empty() {
        return Ok(Vec::new());
    }
    let live = kubectl.live(&objects.to_list())?;
    let is_missing = |namespace: &str| {
        let is_namespace = |object: &Value| {
            object["kind"] == "Namespace" && object["metadata"]["name"] == namespace
        };
        objects.iter().any(is_namespace) && !live.iter().any(is_namespace)
    };
    let can_be_asked = objects.only(|object| {
        let namespace = object["metadata"]["namespace"].as_str();
        !namespace.is_some_and(is_missing)
    });
    let mut arguments = mode.arguments();
    arguments.extend(["--dry-run=server", "-o", "json"]);
    let applied = kubectl.objects(&arguments, Some(&can_be_asked.to_list()))?;
    Ok(objects
        .iter()
        .filter_map(|object| {
            let id = ObjectId::of(object);
            let action = match (objects::find(&live, &id), objects::find(&applied, &id)) {
                (None, _) => Action::Create,
                (Some(live), Some(applied)) if !object::is_equal(live, applied) => Action::Update,
                _ => return None,
            };
            Some(Effect { id, action })
        })
        .collect())
}

/// Applies on the side of the server, as `kubectl apply --server-side` does: under its field
/// manager, so that both can be used by turns. Gives what the API server warns of.
///
/// Where a namespace has to be made first, the rest is asked for once more before it is applied, and
/// the namespace goes again where that is refused.
///
/// # Errors
/// The API server refuses something. What was asked for before is as it was.
pub fn apply(kubectl: &Kubectl, objects: &Objects, mode: Mode) -> Result<Vec<String>> {
    let namespaces = objects.only(|object| object["kind"] == "Namespace");
    let live = if namespaces.is_empty() {
        Vec::new()
    } else {
        kubectl.live(&namespaces.to_list())?
    };
    let new = namespaces.only(|object| objects::find(&live, &ObjectId::of(object)).is_none());
    if !new.is_empty() {
        kubectl.text(&mode.arguments(), Some(&new.to_list()))?;
        if let Err(error) = dry_run(kubectl, objects, mode) {
            let arguments = ["delete", "--ignore-not-found", "--wait=false", "-f", "-"];
            kubectl.text(&arguments, Some(&new.to_list()))?;
            return Err(error);
        }
    }
    apply_unasked(kubectl, objects, mode)
}

/// The same without asking for anything first: what is refused may leave the rest applied.
///
/// # Errors
/// The API server refuses something.
pub fn apply_unasked(kubectl: &Kubectl, objects: &Objects, mode: Mode) -> Result<Vec<String>> {
    let answer = kubectl.answer(&mode.arguments(), Some(&objects.to_list()))?;
    Ok(answer.warnings())
}

impl Mode {
    fn arguments(self) -> Vec<&'static str> {
        let mut arguments = vec!["apply", "--server-side", "-f", "-"];
        if self.force_conflicts {
            arguments.push("--force-conflicts");
        }
        arguments
    }
}
