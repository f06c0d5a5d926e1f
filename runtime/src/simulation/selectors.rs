//! What selectors of children select: a Service the Pods of its owner, and ports that they have, and a workload its own
//! Pods.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::around::{is_of_another_operator, running_containers};
use super::fresh::root;
use super::references::texts;
use super::subject::Subject;
use super::target::{Target, text};
use super::world::World;

const SELECTED: &str = "selectors select the pods of their owner";

const OPEN: &str = "services lead to ports of containers";

/// The resources whose Pods a Service can select.
const WORKLOADS: [&str; 4] = ["deployments", "statefulsets", "daemonsets", "pods"];

/// A child that selects Pods, or has a template of them.
struct Child {
    target: Target,
    object: Arc<Value>,
    /// The object of the user that it belongs to.
    of: Option<Target>,
}

/// Checks the selectors of all children. Returns `None` if one selects the Pods of another owner of the same kind, no
/// Pods though its owner has some, or Pods without the port of a Service.
pub(super) fn check(world: &World, subjects: &[Subject]) -> Option<()> {
    let children = children(world, subjects);
    for child in &children {
        let Some(selector) = selector(&child.object) else {
            continue;
        };
        let selected = selected(&children, child, selector);
        let why = match &*selected {
            [] => why_none(world, child, selector, &children),
            selected => why_too_many(child, selected),
        };
        let broken = |invariant: &str, message: String| {
            world.broken(invariant, Some(&child.target.name), message);
        };
        if let Some(why) = why {
            let message = format!("{} selects the labels {selector}, {why}", child.target);
            broken(SELECTED, message);
            return None;
        }
        if let Some(port) = closed_name(world, child, &selected) {
            broken(OPEN, closed(&child.target, port));
            return None;
        }
    }
    Some(())
}

/// What is wrong with a Service that leads to a port which is not there.
fn closed(service: &Target, port: &Value) -> String {
    format!(
        "{service} has the `targetPort` {port}, which no container of the Pods that it selects has"
    )
}

/// Checks that a changed spec has closed no port of a Service. Returns `None` if it has.
pub(super) fn stay_open(
    world: &World,
    subjects: &[Subject],
    before: &BTreeMap<Target, Option<Value>>,
) -> Option<()> {
    for (service, port) in closed_numbers(world, subjects) {
        let was_open = before.get(&service) == Some(&None);
        if let Some(port) = port.filter(|_| was_open) {
            world.broken(OPEN, Some(&service.name), closed(&service, &port));
            return None;
        }
    }
    Some(())
}

/// The children whose Pods a selector of a child selects.
fn selected<'a>(children: &'a [Child], child: &Child, selector: &Value) -> Vec<&'a Child> {
    let near = children
        .iter()
        .filter(|other| other.target.namespace == child.target.namespace);
    near.filter(|other| has_all(labels(&other.object), selector))
        .collect()
}

/// Why it is wrong that a child selects no Pods, if it is.
fn why_none(world: &World, child: &Child, selector: &Value, children: &[Child]) -> Option<String> {
    let is_service = child.target.plural == "services";
    if !is_service || child.of.is_none() || is_given(world, child, selector) {
        return None;
    }
    let mut own = children.iter().filter(|other| other.of == child.of);
    if own
        .clone()
        .any(|own| is_of_another_operator(world, &own.target))
    {
        return None;
    }
    let running = own.find(|own| WORKLOADS.contains(&own.target.plural.as_str()))?;
    if can_get(labels(&running.object), selector) {
        return None;
    }
    Some(format!(
        "which no Pods have: those of {} have {}",
        running.target,
        labels(&running.object)
    ))
}

/// Why it is wrong that a child selects these Pods, if it is.
fn why_too_many(child: &Child, selected: &[&Child]) -> Option<String> {
    let own = child.of.as_ref()?;
    let is_anothers = |other: &&&Child| {
        let of = other.of.as_ref();
        of.is_some_and(|of| own != of && own.resource() == of.resource())
    };
    let other = selected.iter().find(is_anothers)?;
    Some(format!(
        "which the Pods of {} have, too: they must depend on the name of the owner",
        other.target
    ))
}

/// The name of a target port of a Service that the selected Pods do not have, if there is any.
fn closed_name<'a>(world: &World, child: &'a Child, selected: &[&Child]) -> Option<&'a Value> {
    let targets = target_ports(world, child)?.into_iter();
    let mut names = targets.filter(|target| target.is_string() && !selected.is_empty());
    let open = open_ports(selected);
    names.find(|name| {
        let is_open = open.iter().any(|port| port["name"] == **name);
        !is_open && !is_given(world, child, name)
    })
}

/// The Services that lead to Pods, each with the first number of a target port that no container lists, if there is any.
/// Containers need not list their ports.
pub(super) fn closed_numbers(
    world: &World,
    subjects: &[Subject],
) -> BTreeMap<Target, Option<Value>> {
    let children = children(world, subjects);
    let services = children.iter().filter_map(|child| {
        let selector = selector(&child.object)?;
        let selected = selected(&children, child, selector);
        let open = open_ports(&selected);
        let is_open = |target: &&Value| open.iter().any(|port| port["containerPort"] == **target);
        let mut targets = target_ports(world, child)?.into_iter();
        let closed = targets.find(|target| target.is_number() && !is_open(target));
        Some((child.target.clone(), closed.cloned()))
    });
    services.collect()
}

/// The target ports of a Service with an address, unless the user writes them or the containers.
fn target_ports<'a>(world: &World, child: &'a Child) -> Option<Vec<&'a Value>> {
    let service = &child.object["spec"];
    if child.target.plural != "services"
        || service["clusterIP"] == "None"
        || names_ports(world, child)
    {
        return None;
    }
    let ports = service["ports"].as_array()?.iter();
    let targets = ports.map(|port| match &port["targetPort"] {
        Value::Null => &port["port"],
        target => target,
    });
    Some(targets.collect())
}

/// The ports that the containers of Pods list, without those of containers that end before the others start.
fn open_ports<'a>(selected: &[&'a Child]) -> Vec<&'a Value> {
    let specs = selected
        .iter()
        .map(|other| &template(&other.object)["spec"]);
    specs
        .flat_map(running_containers)
        .flat_map(|container| container["ports"].as_array().into_iter().flatten())
        .collect()
}

/// Whether the user writes the target ports of a Service, or the containers.
fn names_ports(world: &World, child: &Child) -> bool {
    owner(world, child)
        .is_some_and(|owner| has_field(&owner["spec"], &["targetPort", "containers"]))
}

/// Whether a value has one of these fields, at any depth.
fn has_field(value: &Value, names: &[&str]) -> bool {
    match value {
        Value::Object(fields) => fields
            .iter()
            .any(|(name, value)| names.contains(&&**name) || has_field(value, names)),
        Value::Array(items) => items.iter().any(|item| has_field(item, names)),
        _ => false,
    }
}

/// All children, with the objects of the user that they belong to.
fn children(world: &World, subjects: &[Subject]) -> Vec<Child> {
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
    created.collect()
}

/// The labels that a child selects, unless it selects by more than labels.
fn selector(object: &Value) -> Option<&Value> {
    let selector = &object["spec"]["selector"];
    let labels = match object["kind"].as_str()? {
        "Service" => selector,
        "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet" => {
            if !selector["matchExpressions"].is_null() {
                return None;
            }
            &selector["matchLabels"]
        }
        _ => return None,
    };
    let is_some = labels.as_object().is_some_and(|labels| !labels.is_empty());
    is_some.then_some(labels)
}

/// The labels of the Pods of a child, if it has Pods.
fn labels(object: &Value) -> &Value {
    &template(object)["metadata"]["labels"]
}

/// The template of the Pods of a child, if it has Pods.
fn template(object: &Value) -> &Value {
    match object["kind"].as_str().unwrap_or_default() {
        "Pod" => object,
        "CronJob" => &object["spec"]["jobTemplate"]["spec"]["template"],
        "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet" | "Job" => {
            &object["spec"]["template"]
        }
        _ => &Value::Null,
    }
}

fn has_all(labels: &Value, selector: &Value) -> bool {
    let mut selector = selector.as_object().into_iter().flatten();
    selector.all(|(name, value)| labels[name] == *value)
}

/// Whether Pods can get the labels that they lack while they run, such as that of the primary of a database.
fn can_get(labels: &Value, selector: &Value) -> bool {
    let selector = selector.as_object().into_iter().flatten();
    let given = selector.filter(|(name, _)| !labels[name].is_null());
    let given: Vec<_> = given.collect();
    !given.is_empty() && given.iter().all(|(name, value)| labels[*name] == **value)
}

/// The object of the user that a child belongs to.
fn owner(world: &World, child: &Child) -> Option<Arc<Value>> {
    world.find(child.of.as_ref()?)
}

/// Whether the user has written all texts of a value, such as a selector for Pods that are not simulated.
fn is_given(world: &World, child: &Child, value: &Value) -> bool {
    owner(world, child).is_some_and(|owner| {
        let written = texts(&owner["spec"]);
        texts(value).iter().all(|value| written.contains(value))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_selector_needs_all_of_its_labels() {
        let deployment = json!({ "kind": "Deployment", "spec": {
            "selector": { "matchLabels": { "app": "a" } },
            "template": { "metadata": { "labels": { "app": "a", "tier": "web" } } },
        } });
        let own = labels(&deployment);
        assert!(has_all(own, selector(&deployment).unwrap()));
        let service = |labels: Value| json!({ "kind": "Service", "spec": { "selector": labels } });
        for (labels, expected) in [
            (json!({ "tier": "web" }), true),
            (json!({ "app": "a", "tier": "web" }), true),
            (json!({ "app": "a", "tier": "db" }), false),
            (json!({ "role": "a" }), false),
        ] {
            let service = service(labels);
            assert_eq!(
                has_all(own, selector(&service).unwrap()),
                expected,
                "{service}"
            );
        }
        assert_eq!(selector(&service(json!({}))), None);
        for (selector, expected) in [
            (json!({ "app": "a", "role": "primary" }), true),
            (json!({ "app": "b", "role": "primary" }), false),
            (json!({ "role": "primary" }), false),
        ] {
            assert_eq!(can_get(own, &selector), expected, "{selector}");
        }
        assert!(labels(&json!({ "kind": "ConfigMap" })).is_null());
    }
}
