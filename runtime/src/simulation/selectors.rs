//! What selectors of children select: a Service and a budget the Pods of their owner, and a workload its own Pods.

use serde_json::Value;

use super::around::template;
use super::children::{Child, Children};

const SELECTED: &str = "selectors select the pods of their owner";

/// The resources whose Pods can be selected.
const WORKLOADS: [&str; 4] = ["deployments", "statefulsets", "daemonsets", "pods"];

/// The resources that are for nothing if they select no Pods.
const NEEDS_PODS: [&str; 3] = ["services", "poddisruptionbudgets", "networkpolicies"];

/// Checks the selectors of all children. Returns `None` if one selects the Pods of another owner of the same kind, or no
/// Pods though its owner has some.
pub(super) fn check(children: &Children) -> Option<()> {
    for child in &children.all {
        let Some(selector) = selector(&child.object) else {
            continue;
        };
        let why = match &*selected(children, child, selector) {
            [] => why_none(children, child, selector),
            selected => why_too_many(child, selected),
        };
        if let Some(why) = why {
            let message = format!("{} selects the labels {selector}, {why}", child.target);
            let world = children.world;
            world.broken(SELECTED, Some(&child.target.name), message);
            return None;
        }
    }
    Some(())
}

/// The children whose Pods a selector of a child selects.
pub(super) fn selected<'a>(
    children: &'a Children,
    child: &Child,
    selector: &Value,
) -> Vec<&'a Child> {
    let all = children.all.iter();
    let near = all.filter(|other| other.target.namespace == child.target.namespace);
    near.filter(|other| has_all(labels(&other.object), selector))
        .collect()
}

/// Why it is wrong that a child selects no Pods, if it is.
fn why_none(children: &Children, child: &Child, selector: &Value) -> Option<String> {
    if !NEEDS_PODS.contains(&child.target.plural.as_str())
        || children.is_given(child, selector)
        || children.has_another_operator(child)
    {
        return None;
    }
    let mut siblings = children.of(child.of.as_ref());
    let running = siblings.find(|other| WORKLOADS.contains(&other.target.plural.as_str()))?;
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

/// The labels that a child selects, unless it selects by more than labels.
pub(super) fn selector(object: &Value) -> Option<&Value> {
    let spec = &object["spec"];
    let labels = match object["kind"].as_str()? {
        "Service" => &spec["selector"],
        "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet" | "PodDisruptionBudget" => {
            of_labels(&spec["selector"])?
        }
        "NetworkPolicy" => of_labels(&spec["podSelector"])?,
        _ => return None,
    };
    let is_some = labels.as_object().is_some_and(|labels| !labels.is_empty());
    is_some.then_some(labels)
}

/// The labels of a selector that has no expressions.
fn of_labels(selector: &Value) -> Option<&Value> {
    selector["matchExpressions"]
        .is_null()
        .then_some(&selector["matchLabels"])
}

/// The labels of the Pods of a child, if it has Pods.
fn labels(object: &Value) -> &Value {
    &template(object)["metadata"]["labels"]
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
