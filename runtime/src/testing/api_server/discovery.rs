//! Discovery: the version of the server, and its resources.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::resource::{Resource, Resources};

/// Handles a discovery request. `None` if the path is not one.
pub(super) fn answer(resources: &Resources, path: &str) -> Option<Value> {
    let parts = path
        .split('/')
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>();
    match *parts {
        ["version"] => Some(json!({
            "major": "1",
            "minor": "37",
            "gitVersion": "v1.37.2",
            "gitCommit": "",
            "gitTreeState": "clean",
            "buildDate": "2030-01-01T00:00:00Z",
            "goVersion": "",
            "compiler": "gc",
            "platform": "linux/amd64",
        })),
        ["api"] => Some(json!({"kind": "APIVersions", "versions": ["v1"]})),
        ["apis"] => Some(groups(resources)),
        ["api", version] => list(resources, "", version),
        ["apis", name] => group(resources, name),
        ["apis", group, version] => list(resources, group, version),
        _ => None,
    }
}

fn groups(resources: &Resources) -> Value {
    let names = resources
        .iter()
        .map(|resource| &*resource.group)
        .filter(|name| !name.is_empty())
        .collect::<BTreeSet<_>>();
    let groups = names.into_iter().filter_map(|name| {
        let mut group = group(resources, name)?;
        let fields = group.as_object_mut()?;
        fields.remove("kind");
        fields.remove("apiVersion");
        Some(group)
    });
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups.collect::<Vec<_>>()})
}

fn group(resources: &Resources, name: &str) -> Option<Value> {
    let versions = resources
        .iter()
        .filter(|resource| resource.group == name)
        .map(|resource| &*resource.version)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .map(|version| json!({"groupVersion": format!("{name}/{version}"), "version": version}))
        .collect::<Vec<_>>();
    let preferred = versions.last()?.clone();
    Some(json!({
        "kind": "APIGroup",
        "apiVersion": "v1",
        "name": name,
        "versions": versions,
        "preferredVersion": preferred,
    }))
}

fn list(resources: &Resources, group: &str, version: &str) -> Option<Value> {
    let known: BTreeMap<_, _> = resources
        .iter()
        .filter(|known| known.group == group && known.version == version)
        .map(|resource| (&resource.plural, resource))
        .collect();
    let of = known
        .values()
        .flat_map(|resource| entries(resource))
        .collect::<Vec<_>>();
    let group_version = match group {
        "" => version.to_owned(),
        group => format!("{group}/{version}"),
    };
    (!of.is_empty()).then(|| {
        json!({
            "kind": "APIResourceList",
            "apiVersion": "v1",
            "groupVersion": group_version,
            "resources": of,
        })
    })
}

fn entries(resource: &Resource) -> Vec<Value> {
    let verbs = [
        "create",
        "delete",
        "deletecollection",
        "get",
        "list",
        "patch",
        "update",
        "watch",
    ];
    let mut entries = vec![json!({
        "name": resource.plural,
        "singularName": resource.singular,
        "namespaced": resource.is_namespaced,
        "kind": resource.kind,
        "verbs": verbs,
    })];
    let mut below = |name: &str, kind: &str| {
        entries.push(json!({
            "name": format!("{}/{name}", resource.plural),
            "singularName": "",
            "namespaced": resource.is_namespaced,
            "kind": kind,
            "verbs": ["get", "patch", "update"],
        }));
    };
    if resource.scale.is_some() {
        below("scale", "Scale");
    }
    if resource.has_status {
        below("status", &resource.kind);
    }
    entries
}
