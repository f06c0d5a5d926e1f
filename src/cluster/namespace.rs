use serde_json::Value;

use crate::error::{Code, Error, Result};
use crate::kubectl::Kubectl;
use crate::objects::{self, ObjectId, Objects};

/// The label by which a namespace is known as the operator's own.
const OWNER: &str = "app.kubernetes.io/name";

/// Leaves out Namespaces that are in the cluster and belong to somebody else: they are neither
/// changed nor deleted. Gives their names.
///
/// # Errors
/// They cannot be read.
pub fn leave_foreign(kubectl: &Kubectl, objects: &mut Objects) -> Result<Vec<String>> {
    let namespaces = objects.only(|object| object["kind"] == "Namespace");
    if namespaces.is_empty() {
        return Ok(Vec::new());
    }
    let live = kubectl.live(&namespaces.to_list())?;
    let is_foreign = |namespace: &&Value| {
        objects::find(&live, &ObjectId::of(namespace))
            .is_some_and(|live| owner(namespace).is_null() || owner(live) != owner(namespace))
    };
    let foreign: Vec<ObjectId> = namespaces
        .iter()
        .filter(is_foreign)
        .map(ObjectId::of)
        .collect();
    *objects = objects.only(|object| !foreign.contains(&ObjectId::of(object)));
    Ok(foreign.into_iter().map(|id| id.name).collect())
}

/// Checks that the namespaces exist that the operator has Roles in and that are not its own.
///
/// # Errors
/// One does not exist, or they cannot be read.
pub fn check_namespaces(kubectl: &Kubectl, objects: &Objects) -> Result<()> {
    let own = objects.namespace()?;
    let given = objects
        .given_namespaces()
        .only(|namespace| namespace["metadata"]["name"] != *own);
    if given.is_empty() {
        return Ok(());
    }
    let live = kubectl.live(&given.to_list())?;
    for namespace in given.iter().map(ObjectId::of) {
        if objects::find(&live, &namespace).is_none() {
            let name = namespace.name;
            let object = objects
                .iter()
                .find(|object| object["metadata"]["namespace"] == *name)
                .map(ObjectId::of)
                .map(|id| id.to_string())
                .unwrap_or_default();
            return Err(Error::new(
                Code::NamespaceMissing,
                format!("the namespace of {object} does not exist"),
            )
            .hint(format!("create it: `kubectl create namespace {name}`")));
        }
    }
    Ok(())
}

fn owner(namespace: &Value) -> &Value {
    &namespace["metadata"]["labels"][OWNER]
}
