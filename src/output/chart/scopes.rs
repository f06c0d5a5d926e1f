//! The role of the operator if it watches some namespaces: a Role in each, and what no Role can grant.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::error::Result;

use super::node::{Child, Node};
use super::rendered::Object;
use super::write::Writer;

/// A resource by its group and name.
pub(super) type Resources = BTreeSet<(String, String)>;

/// Writes the role of the operator, or its binding.
pub(super) fn write(
    object: &Object,
    all: &[Object],
    cluster: &Resources,
    writer: &mut Writer<'_>,
) -> Result<()> {
    let rules = rules(object, all);
    let (namespaced, cluster_wide) = split(&rules, cluster);
    let is_cluster = object.kind().starts_with("Cluster");
    writer.action("if .Values.watchNamespaces");
    writer.for_each_namespace(|writer| {
        let mut role = object.node.clone();
        confine(&mut role, object.kind(), &namespaced);
        writer.line("---");
        writer.object(&role)
    })?;
    if is_cluster
        && cluster_wide
            .as_array()
            .is_some_and(|rules| !rules.is_empty())
    {
        let mut role = object.node.clone();
        if object.kind() == "ClusterRole" {
            role.set(Child::new("rules", Node::Literal(cluster_wide)));
        }
        writer.line("---");
        writer.object(&role)?;
    }
    writer.action("else");
    writer.line("---");
    writer.object(&object.node)?;
    writer.action("end");
    Ok(())
}

/// The rules of a role, or of the one that is bound.
fn rules(object: &Object, all: &[Object]) -> Value {
    let role = &object.value["roleRef"];
    let bound = all.iter().map(|object| &object.value).find(|other| {
        role.is_object()
            && other["kind"] == role["kind"]
            && other["metadata"]["name"] == role["name"]
    });
    bound.unwrap_or(&object.value)["rules"].clone()
}

/// Puts a role into a namespace.
fn confine(role: &mut Node, kind: &str, rules: &Value) {
    let confined = kind.strip_prefix("Cluster").unwrap_or(kind);
    role.set(Child::new("kind", Node::Literal(confined.into())));
    let namespace = Node::Action(". | quote".to_owned());
    role.field("metadata")
        .set(Child::new("namespace", namespace));
    if confined == "Role" {
        role.set(Child::new("rules", Node::Literal(rules.clone())));
    } else {
        role.field("roleRef")
            .set(Child::new("kind", Node::Literal("Role".into())));
    }
}

/// The part of rules that a Role can grant, and the part that only a `ClusterRole` can.
fn split(rules: &Value, cluster: &Resources) -> (Value, Value) {
    let (mut namespaced, mut wide) = (Vec::new(), Vec::new());
    for rule in rules.as_array().into_iter().flatten() {
        if rule["nonResourceURLs"].is_array() {
            wide.push(rule.clone());
            continue;
        }
        let texts = |field: &str| -> Vec<String> {
            let all = rule[field].as_array().into_iter().flatten();
            all.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let groups = texts("apiGroups");
        let is_wide = |resource: &String| {
            let name = resource.split('/').next().unwrap_or_default();
            groups
                .iter()
                .any(|group| cluster.contains(&(group.clone(), name.to_owned())))
        };
        let (of_cluster, of_namespace): (Vec<_>, Vec<_>) =
            texts("resources").into_iter().partition(is_wide);
        for (resources, list) in [(of_namespace, &mut namespaced), (of_cluster, &mut wide)] {
            if !resources.is_empty() {
                let mut rule = rule.clone();
                rule["resources"] = json!(resources);
                list.push(rule);
            }
        }
    }
    (namespaced.into(), wide.into())
}
