//! What a Role, whose reach is one namespace, cannot grant.

use super::super::Options;
use super::super::catalog::{Catalog, Resource};
use super::super::grant::Grant;
use super::super::rule::Rule;
use crate::manifest::marker::Diagnostic;

/// Verbs that work in a Role though the resource lives in no namespace.
///
/// A request for one namespace counts as made in it (`NewRequestInfo` in
/// `pkg/endpoints/request` of `k8s.io/apiserver`), and a `RoleBinding` to a `ClusterRole` asks for
/// `bind` in its own namespace (`pkg/registry/rbac/escalation_check.go` of `k8s.io/kubernetes`).
const IN_A_ROLE: [(&str, &str, &[&str]); 2] = [
    ("", "namespaces", &["get", "update", "patch", "delete"]),
    ("rbac.authorization.k8s.io", "clusterroles", &["bind"]),
];

/// Resources of the cluster and URLs in a rule that becomes part of a Role. The API server refuses
/// URLs there (`ValidatePolicyRule` in `pkg/apis/rbac/validation` of `k8s.io/kubernetes`), and
/// takes the resources and grants nothing.
pub(super) fn check(grant: &Grant, catalog: &Catalog, options: &Options) -> Vec<Diagnostic> {
    if grant.namespace.is_none() && !options.namespaced {
        return Vec::new();
    }
    let way_out = if options.namespaced {
        "the project is namespaced: grant it in a ClusterRole of your own"
    } else {
        "remove `namespace`, so that the rule becomes part of the ClusterRole"
    };
    let rule = &grant.rule;
    let groups: Vec<&str> = rule.groups.iter().map(String::as_str).collect();
    let mut diagnostics = Vec::new();
    if !rule.urls.is_empty() {
        diagnostics.push(Diagnostic::new("a Role cannot grant URLs").hint(way_out));
    }
    for resource in &rule.resources {
        let name = resource.split('/').next().unwrap_or_default();
        let named = catalog.named(&groups, name);
        if named.is_empty() || named.iter().any(|resource| allows(resource, rule)) {
            continue;
        }
        let diagnostic = Diagnostic::new(format!(
            "`{resource}` is cluster-scoped: a Role cannot grant it"
        ));
        diagnostics.push(match exception(named[0]) {
            Some(verbs) => {
                diagnostic.hint(format!("a Role can grant only {} on it", verbs.join(", ")))
            }
            None => diagnostic.hint(way_out),
        });
    }
    diagnostics
}

fn allows(resource: &Resource, rule: &Rule) -> bool {
    resource.namespaced
        || exception(resource).is_some_and(|works| {
            let mut verbs = rule.verbs.iter();
            verbs.all(|verb| works.contains(&verb.as_str()))
        })
}

fn exception(resource: &Resource) -> Option<&'static [&'static str]> {
    IN_A_ROLE
        .iter()
        .find(|(group, name, _)| (*group, *name) == (resource.group, resource.name))
        .map(|(_, _, verbs)| *verbs)
}

#[cfg(test)]
mod tests {
    use super::super::tests::with_grant;
    use super::*;
    use crate::manifest::rbac::tests::options;

    const OWN: &str = "the project is namespaced: grant it in a ClusterRole of your own";
    const NAMED: &str = "remove `namespace`, so that the rule becomes part of the ClusterRole";

    fn diagnostics(namespaced: bool, marker: &str) -> Vec<(String, String)> {
        let options = options(namespaced);
        with_grant(marker, |grant, catalog| check(grant, catalog, &options))
    }

    fn diagnostic(resource: &str, hint: &str) -> (String, String) {
        (
            format!("`{resource}` is cluster-scoped: a Role cannot grant it"),
            hint.into(),
        )
    }

    #[test]
    fn a_cluster_role_grants_everything() {
        assert_eq!(
            diagnostics(false, "groups=core,resources=nodes;pods,verbs=get"),
            []
        );
        assert_eq!(diagnostics(false, "urls=/metrics,verbs=get"), []);
    }

    #[test]
    fn a_role_grants_what_is_in_namespaces() {
        for rule in [
            "groups=core,resources=pods;pods/log;*",
            "groups=apps;storage.k8s.io,resources=deployments",
            "groups=app.example.com,resources=appservices",
            "groups=cert-manager.io,resources=clusterissuers",
            "groups=*,resources=*",
        ] {
            assert_eq!(
                diagnostics(true, &format!("{rule},verbs=get")),
                [],
                "{rule}"
            );
            assert_eq!(
                diagnostics(false, &format!("{rule},verbs=get,namespace=a")),
                [],
                "{rule}"
            );
        }
    }

    #[test]
    fn a_role_grants_nothing_of_the_cluster() {
        for (groups, resource) in [
            ("core", "nodes"),
            ("core", "nodes/status"),
            ("core", "persistentvolumes"),
            ("rbac.authorization.k8s.io", "clusterroles"),
            ("apiextensions.k8s.io", "customresourcedefinitions"),
            ("storage.k8s.io", "storageclasses"),
            ("app.example.com", "people"),
            ("apps;storage.k8s.io", "storageclasses"),
        ] {
            let rule = format!("groups={groups},resources={resource},verbs=create");
            let hint = match resource {
                "clusterroles" => "a Role can grant only bind on it",
                _ => OWN,
            };
            assert_eq!(diagnostics(true, &rule), [diagnostic(resource, hint)]);
        }
        let rule = "groups=core,resources=nodes;pods,verbs=get,namespace=a";
        assert_eq!(diagnostics(false, rule), [diagnostic("nodes", NAMED)]);
        assert_eq!(diagnostics(true, rule), [diagnostic("nodes", OWN)]);
    }

    #[test]
    fn a_role_grants_no_urls() {
        for (namespaced, rule, hint) in [
            (true, "urls=/metrics,verbs=get", OWN),
            (false, "urls=/metrics,verbs=get,namespace=a", NAMED),
        ] {
            let diagnostic = ("a Role cannot grant URLs".into(), hint.into());
            assert_eq!(diagnostics(namespaced, rule), [diagnostic]);
        }
    }

    #[test]
    fn a_role_reaches_its_own_namespace_and_binds_cluster_roles() {
        assert_eq!(
            diagnostics(true, "groups=core,resources=namespaces,verbs=get;patch"),
            []
        );
        assert_eq!(
            diagnostics(true, "groups=core,resources=namespaces,verbs=get;list"),
            [diagnostic(
                "namespaces",
                "a Role can grant only get, update, patch, delete on it"
            )]
        );
        let bind = "groups=rbac.authorization.k8s.io,resources=clusterroles,verbs=bind";
        assert_eq!(diagnostics(true, bind), []);
    }
}
