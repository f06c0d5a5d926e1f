//! How children follow a changed spec: they are updated and not replaced, and their Pods read what has changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use hyper::Method;
use serde_json::Value;

use super::around::{WORKLOADS, environment, template};
use super::managers::{controller_kind, is_going, of_child, referenced_uids};
use super::setup::Setup;
use super::target::{Target, text};
use super::world::World;

const INVARIANT: &str = "children are updated in place";

/// The built-in kinds whose fields can be changed, except for those that the API server refuses to change. Pods and Jobs
/// run again if they are replaced, which can be meant.
const UPDATABLE: [&str; 16] = [
    "clusterrolebindings",
    "clusterroles",
    "configmaps",
    "cronjobs",
    "daemonsets",
    "deployments",
    "horizontalpodautoscalers",
    "ingresses",
    "networkpolicies",
    "poddisruptionbudgets",
    "rolebindings",
    "roles",
    "secrets",
    "serviceaccounts",
    "services",
    "statefulsets",
];

/// The children before a change.
pub(super) struct Before(BTreeMap<Target, Arc<Value>>);

impl Before {
    pub(super) fn in_world(setup: &Setup, world: &World) -> Self {
        let children = world.created().into_iter().filter_map(|target| {
            let object = world.find(&target)?;
            let is_kept =
                world.has_created(&object) && !setup.has_history(controller_kind(&object));
            is_kept.then_some((target, object))
        });
        Self(children.collect())
    }

    /// Checks that no child was deleted and created again where an update would have been accepted.
    pub(super) fn are_updated(&self, world: &World, what: &str) -> Option<()> {
        for (target, before) in &self.0 {
            let Some(after) = world.find(target) else {
                continue;
            };
            let is_replaced = text(before, "uid") != text(&after, "uid")
                && world.has_created(&after)
                && !is_going(&after);
            if is_replaced && can_be_updated(world, target, before, &after) {
                let message = format!(
                    "{what}, and {target} was deleted and created again, which interrupts what uses it: the API server \
                     accepts such an update"
                );
                world.broken(INVARIANT, Some(&target.name), message);
                return None;
            }
        }
        Some(())
    }

    /// The workloads whose Pods still have environment variables of what has changed since then: nobody rolls them out.
    pub(super) fn outdated(&self, world: &World) -> impl Iterator<Item = &Target> {
        let running = self.0.iter().filter(|(target, before)| {
            let is_same = |after: Arc<Value>| template(&after) == template(before);
            WORKLOADS.contains(&&*target.plural) && world.find(target).is_some_and(is_same)
        });
        let reads_changed = |target: &Target, workload: &Value| {
            let read = environment(&template(workload)["spec"]);
            read.into_iter().any(|need| {
                let source = Target {
                    version: "v1".to_owned(),
                    plural: need.plural.to_owned(),
                    name: need.name.to_owned(),
                    ..target.clone()
                };
                let of_key = |object: &Value, field: &str| match need.key {
                    Some(key) => object[field][key].clone(),
                    None => object[field].clone(),
                };
                let (before, after) = (self.0.get(&source), world.find(&source));
                let (Some(before), Some(after)) = (before, after) else {
                    return false;
                };
                ["data", "binaryData"]
                    .into_iter()
                    .any(|field| of_key(before, field) != of_key(&after, field))
            })
        };
        running
            .filter(move |(target, workload)| reads_changed(target, workload))
            .map(|(target, _)| target)
    }
}

/// Whether the API server accepts a change between two states of an object. Most changes are refused in both directions,
/// and only the second state exists.
fn can_be_updated(world: &World, target: &Target, before: &Value, after: &Value) -> bool {
    // The token stays that of its first account.
    let is_token = before["type"] == "kubernetes.io/service-account-token";
    // A child goes with an owner that is replaced.
    let has_new_owner = referenced_uids(before).ne(referenced_uids(after));
    let is_fixed = before["immutable"] == true || is_token || has_new_owner;
    if is_fixed || !UPDATABLE.contains(&&*target.plural) {
        return false;
    }
    let mut changed = before.clone();
    for field in ["apiVersion", "metadata"] {
        changed[field] = after[field].clone();
    }
    // Allocated addresses always differ.
    let is_headless = [before, after].map(|object| object["spec"]["clusterIP"] == "None");
    let is_given = of_child(after, &world.names().operator)
        .any(|fields| fields["f:spec"].get("f:clusterIP").is_some());
    if is_headless == [false; 2]
        && !is_given
        && let Some(spec) = changed["spec"].as_object_mut()
    {
        spec.remove("clusterIP");
        spec.remove("clusterIPs");
    }
    let path = format!("{}?dryRun=All", target.path());
    world.tries("check", &Method::PUT, &path, &changed).is_ok()
}
