//! The roles of the operator and of its users if it watches some namespaces: a Role in each, and what no Role can grant.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::error::Result;

use super::names::Names;
use super::node::{Child, Node};
use super::rendered::Object;
use super::toggles;
use super::write::Writer;

/// A resource by its group and name.
pub(super) type Resources = BTreeSet<(String, String)>;

/// The role of the webhooks, which rop generates.
const WEBHOOK_ROLE: &str = "webhook-role";

/// Writes a role, or its binding, once for each namespace that the operator watches.
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

/// What is to be said of a binding that keeps its rights in all namespaces although the operator watches some.
pub(super) fn note(
    object: &Object,
    all: &[Object],
    cluster: &Resources,
    names: &Names<'_>,
) -> Option<String> {
    let subjects = object.value["subjects"].as_array();
    let is_operator =
        |subject: &Value| subject["kind"] == "ServiceAccount" && names.is_account(&subject["name"]);
    let (namespaced, _) = split(&rules(object, all), cluster);
    let is_wide = object.kind() == "ClusterRoleBinding"
        && subjects.into_iter().flatten().any(is_operator)
        && namespaced.as_array().is_some_and(|rules| !rules.is_empty());
    (is_wide && !toggles::is_manager_role(object)).then(|| {
        let start = format!(
            "the ClusterRoleBinding {} grants the operator rights in all namespaces also if `watchNamespaces` is set: ",
            object.name()
        );
        start
            + if toggles::role_name(object) == WEBHOOK_ROLE {
                "it lists and patches objects of converted kinds to store them in the new version, wherever they are. \
                 Without a conversion webhook it needs no such rights"
            } else {
                "move what it grants into the role `manager-role`, or bind it in namespaces"
            }
    })
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
        let is_any = |texts: &[String]| texts.iter().any(|text| text == "*");
        let (mut of_cluster, mut of_namespace) = (Vec::new(), Vec::new());
        let mut by_group: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for resource in texts("resources") {
            let name = resource.split('/').next().unwrap_or_default();
            let found: Vec<_> = cluster
                .iter()
                .filter(|(group, other)| {
                    (name == "*" || name == other) && (is_any(&groups) || groups.contains(group))
                })
                .collect();
            // A star is for both, of which a ClusterRole need not grant those of namespaces.
            if name == "*" || is_any(&groups) {
                let part = &resource[name.len()..];
                for (group, other) in found {
                    let resources = by_group.entry(group).or_default();
                    resources.push(format!("{other}{part}"));
                }
                of_namespace.push(resource);
            } else if found.is_empty() {
                of_namespace.push(resource);
            } else {
                of_cluster.push(resource);
            }
        }
        let add = |list: &mut Vec<Value>, groups: Value, resources: Vec<String>| {
            if !resources.is_empty() {
                let mut rule = rule.clone();
                rule["apiGroups"] = groups;
                rule["resources"] = json!(resources);
                list.push(rule);
            }
        };
        add(&mut namespaced, json!(groups), of_namespace);
        add(&mut wide, json!(groups), of_cluster);
        for (group, resources) in by_group {
            add(&mut wide, json!([group]), resources);
        }
    }
    (namespaced.into(), wide.into())
}
