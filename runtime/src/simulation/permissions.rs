//! The permissions of the role that no request needed: a role grants no more than what the operator does.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// A permission: the API group, the resource with its subresource, and the verb.
pub(crate) type Permission = (String, String, String);

/// The permissions of a role that were never used, as in a marker. Not those that the API server checks in addition to
/// a request, nor that of the library's events, which not every run has.
pub(super) fn never_used(role: &Value, used: &BTreeSet<Permission>) -> Vec<String> {
    let mut unused = BTreeMap::<(&str, &str), BTreeSet<&str>>::new();
    for rule in role["rules"].as_array().into_iter().flatten() {
        for group in texts(&rule["apiGroups"]) {
            for resource in texts(&rule["resources"]) {
                let is_exempt = resource.ends_with("/finalizers") || resource == "events";
                for verb in texts(&rule["verbs"]).filter(|_| !is_exempt) {
                    let needed = |(used_group, used_resource, used_verb): &Permission| {
                        covers(group, used_group)
                            && covers_resource(resource, used_resource)
                            && covers(verb, used_verb)
                    };
                    if !used.iter().any(needed) {
                        unused.entry((group, resource)).or_default().insert(verb);
                    }
                }
            }
        }
    }
    let described = unused.into_iter().map(|((group, resource), verbs)| {
        let verbs: Vec<_> = verbs.into_iter().collect();
        described(group, resource, &verbs.join(";"))
    });
    described.collect()
}

/// A permission as in a marker.
pub(super) fn described(group: &str, resource: &str, verbs: &str) -> String {
    let group = if group.is_empty() { "core" } else { group };
    format!("groups={group},resources={resource},verbs={verbs}")
}

fn covers(granted: &str, used: &str) -> bool {
    granted == "*" || granted == used
}

fn covers_resource(granted: &str, used: &str) -> bool {
    let subresource = granted.strip_prefix("*/");
    covers(granted, used)
        || subresource.is_some_and(|granted| used.ends_with(&format!("/{granted}")))
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_permission_is_used_by_what_it_covers() {
        let used = [
            ("", "services", "list"),
            ("app.example.com", "sites/status", "patch"),
        ];
        let used = used.map(|(group, resource, verb)| (group.into(), resource.into(), verb.into()));
        let used = BTreeSet::from(used);
        for (groups, resources, verbs, expected) in [
            (
                ["", "apps"],
                "services",
                "list",
                &["groups=apps,resources=services,verbs=list"][..],
            ),
            (["", ""], "services", "*", &[]),
            (["", ""], "*", "list", &[]),
            (["app.example.com", "*"], "*/status", "patch", &[]),
            (
                ["", ""],
                "pods",
                "get",
                &["groups=core,resources=pods,verbs=get"],
            ),
            (["", ""], "pods/finalizers", "update", &[]),
        ] {
            let rule = json!({ "apiGroups": groups, "resources": [resources], "verbs": [verbs] });
            let unused = never_used(&json!({ "rules": [rule] }), &used);
            assert_eq!(unused, expected, "{groups:?} {resources} {verbs}");
        }
    }
}
