//! A rule as a marker states it.

use std::collections::BTreeSet;

use super::catalog::Catalog;
use super::name;
use super::rule::Rule;
use crate::manifest::marker::Diagnostic;
use crate::manifest::marker::{Argument, key};

/// A rule and the role that it belongs to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Grant {
    pub(super) rule: Rule,
    /// The namespace of the Role, where the marker names one.
    pub(super) namespace: Option<String>,
    /// The name of the role, where the marker names one.
    pub(super) role: Option<String>,
}

const KEYS: [&str; 7] = [
    "groups",
    "namespace",
    "resourceNames",
    "resources",
    "roleName",
    "urls",
    "verbs",
];

impl Grant {
    /// Makes a rule of the arguments of a marker.
    ///
    /// # Errors
    /// A key is unknown or stands twice, has no value or too many, or the API server would refuse
    /// such a rule (`ValidatePolicyRule` in `pkg/apis/rbac/validation` of `k8s.io/kubernetes`).
    pub(super) fn new(
        arguments: Vec<Argument>,
        catalog: &Catalog,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut grant = Self::default();
        let mut diagnostics = key::read(arguments, &KEYS, |key, values| grant.set(key, values));
        if diagnostics.is_empty() {
            diagnostics.extend(grant.shape(catalog));
        }
        if diagnostics.is_empty() {
            Ok(grant)
        } else {
            Err(diagnostics)
        }
    }

    fn set(&mut self, key: &str, values: &[&str]) -> Result<(), Diagnostic> {
        let set = || values.iter().map(|&value| value.to_owned()).collect();
        match key {
            "groups" => self.rule.groups = values.iter().map(|&value| key::group(value)).collect(),
            "resources" => self.rule.resources = set(),
            "resourceNames" => self.rule.resource_names = set(),
            "urls" => self.rule.urls = set(),
            "verbs" => self.rule.verbs = set(),
            "namespace" => self.namespace = Some(name::namespace(key::single(key, values)?)?),
            "roleName" => self.role = Some(name::role(key::single(key, values)?)?),
            "apiGroups" => return Err(key::unknown(key, Some("groups"), &KEYS)),
            "nonResourceURLs" => return Err(key::unknown(key, Some("urls"), &KEYS)),
            _ => return Err(key::unknown(key, None, &KEYS)),
        }
        Ok(())
    }

    /// What is missing, or does not go together.
    fn shape(&self, catalog: &Catalog) -> Vec<Diagnostic> {
        let rule = &self.rule;
        let mut diagnostics = Vec::new();
        if rule.verbs.is_empty() {
            diagnostics
                .push(Diagnostic::new("`verbs` is missing").hint("add `verbs=get;list;watch`"));
        }
        if rule.urls.is_empty() {
            if rule.resources.is_empty() {
                diagnostics.push(
                    Diagnostic::new("`resources` is missing")
                        .hint("add `resources=…`, or `urls=…` for non-resource paths"),
                );
            } else if rule.groups.is_empty() {
                diagnostics
                    .push(Diagnostic::new("`groups` is missing").hint(self.group_hint(catalog)));
            }
        } else if !(rule.groups.is_empty()
            && rule.resources.is_empty()
            && rule.resource_names.is_empty())
        {
            diagnostics.push(
                Diagnostic::new("a rule cannot have both resources and URLs")
                    .hint("write one marker for resources and one for URLs"),
            );
        }
        diagnostics
    }

    /// The groups that the resources are in.
    fn group_hint<'a>(&'a self, catalog: &'a Catalog) -> String {
        let name = |resource: &'a String| resource.split('/').next();
        let names = self.rule.resources.iter().filter_map(name);
        let groups: BTreeSet<&str> = names.flat_map(|name| catalog.groups_of(name)).collect();
        let quoted = |group: &str| match group {
            "" => "\"\"".to_owned(),
            group => group.to_owned(),
        };
        let groups: Vec<String> = groups.into_iter().map(quoted).collect();
        match groups.as_slice() {
            [] => "add `groups=…`, which is `\"\"` for the core group".into(),
            groups => format!("add `groups={}`", groups.join(";")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::catalog::tests::own_kinds;
    use super::*;
    use crate::manifest::marker;

    fn read(text: &str) -> Result<Grant, Vec<Diagnostic>> {
        let arguments = marker::parse(text).expect(text);
        Grant::new(arguments, &Catalog::new(&own_kinds()))
    }

    fn set(values: &[&str]) -> BTreeSet<String> {
        values.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_key_has_its_place() {
        assert_eq!(
            read("groups=apps,resources=a;b,resourceNames=c,verbs=d;d,namespace=e,roleName=f"),
            Ok(Grant {
                rule: Rule {
                    groups: set(&["apps"]),
                    urls: set(&[]),
                    resource_names: set(&["c"]),
                    resources: set(&["a", "b"]),
                    verbs: set(&["d"]),
                },
                namespace: Some("e".into()),
                role: Some("f".into()),
            })
        );
        let marker = read("urls=/a;/b,verbs=get").expect("a rule about URLs");
        assert_eq!(marker.rule.urls, set(&["/a", "/b"]));
    }

    #[test]
    fn the_core_group_has_two_spellings() {
        for text in [r#"groups="""#, "groups=core", r#"groups="core";"""#] {
            let marker = read(&format!("{text},resources=pods,verbs=get")).expect(text);
            assert_eq!(marker.rule.groups, set(&[""]), "{text}");
        }
    }

    fn refused(text: &str, message: &str, hint: &str) {
        let diagnostic = Diagnostic::new(message).hint(hint);
        assert_eq!(read(text), Err(vec![diagnostic]), "{text}");
    }

    #[test]
    fn verbs_and_resources_or_urls_are_needed() {
        let hint = "add `verbs=get;list;watch`";
        refused(
            "groups=apps,resources=deployments",
            "`verbs` is missing",
            hint,
        );
        let hint = "add `resources=…`, or `urls=…` for non-resource paths";
        refused("groups=apps,verbs=get", "`resources` is missing", hint);
    }

    #[test]
    fn groups_are_needed() {
        for (resources, groups) in [
            ("deployments", "apps"),
            ("pods/log", "\"\""),
            (
                "pods/log;services;events;deployments",
                "\"\";apps;events.k8s.io",
            ),
        ] {
            refused(
                &format!("resources={resources},verbs=get"),
                "`groups` is missing",
                &format!("add `groups={groups}`"),
            );
        }
        let hint = "add `groups=…`, which is `\"\"` for the core group";
        refused("resources=things,verbs=get", "`groups` is missing", hint);
    }

    #[test]
    fn urls_stand_alone() {
        for key in ["groups", "resources", "resourceNames"] {
            refused(
                &format!("{key}=a,urls=/a,verbs=get"),
                "a rule cannot have both resources and URLs",
                "write one marker for resources and one for URLs",
            );
        }
    }

    #[test]
    fn a_key_has_values_and_some_have_one() {
        let hint = "the core group is `groups=\"\"`";
        refused(
            "groups=,resources=pods,verbs=get",
            "`groups` has no value",
            hint,
        );
        for value in ["", "{}", "\"\"", "a;\"\""] {
            refused(
                &format!("groups=apps,resources={value},verbs=get"),
                "`resources` has no value",
                "write `resources=…`, or remove `resources`",
            );
        }
        for (key, hint) in [
            ("namespace", "write a marker for each value"),
            ("roleName", "write a marker for each value"),
        ] {
            let text = format!("groups=apps,resources=a,verbs=get,{key}=a;b");
            refused(&text, &format!("`{key}` takes one value"), hint);
        }
    }

    #[test]
    fn a_key_stands_once() {
        let hint = "put all values in one list: `a;b`";
        let text = "groups=a,groups=b,resources=c,verbs=get";
        refused(text, "duplicate key `groups`", hint);
    }

    #[test]
    fn names_are_checked() {
        for (argument, message) in [
            ("namespace=A", "`A` is not a valid namespace name"),
            ("roleName=a/b", "`a/b` is not a valid role name"),
        ] {
            let text = format!("groups=apps,resources=a,verbs=get,{argument}");
            let diagnostics = read(&text).expect_err(&text);
            assert_eq!(diagnostics.len(), 1);
            assert_eq!(diagnostics[0].message, message);
        }
    }

    #[test]
    fn an_unknown_key_is_refused() {
        for (key, hint) in [
            ("verb", "did you mean `verbs`?"),
            ("group", "did you mean `groups`?"),
            ("resourcenames", "did you mean `resourceNames`?"),
            ("rolename", "did you mean `roleName`?"),
            ("url", "did you mean `urls`?"),
            ("apiGroups", "did you mean `groups`?"),
            ("nonResourceURLs", "did you mean `urls`?"),
            (
                "other",
                "the keys are groups, namespace, resourceNames, resources, roleName, urls, verbs",
            ),
        ] {
            let diagnostic = Diagnostic::new(format!("unknown key `{key}`")).hint(hint);
            assert_eq!(read(&format!("{key}=a")), Err(vec![diagnostic]));
        }
    }

    #[test]
    fn all_that_is_wrong_is_told() {
        let diagnostics = read("verb=get,group=apps").expect_err("two unknown keys");
        assert_eq!(diagnostics.len(), 2);
        let diagnostics = read("namespace=a").expect_err("nothing to grant");
        assert_eq!(diagnostics.len(), 2);
    }
}
