//! Resources and their subresources.

use super::super::catalog::{Catalog, Origin, Resource};
use super::super::fault::Fault;
use super::super::rule::Rule;
use super::super::suggest;
use super::unknown;

/// Resources that are not there, where somebody vouches for every group.
pub(super) fn check(rule: &Rule, catalog: &Catalog) -> Vec<Fault> {
    let groups: Vec<&str> = rule.groups.iter().map(String::as_str).collect();
    if groups
        .iter()
        .any(|group| catalog.origin(group) == Origin::Foreign)
    {
        return Vec::new();
    }
    rule.resources
        .iter()
        .filter_map(|resource| fault(resource, &groups, catalog))
        .collect()
}

/// What is wrong with `resource`. With several groups it may be in any of them: they are often
/// listed as `apps;batch` with the resources of both.
fn fault(resource: &str, groups: &[&str], catalog: &Catalog) -> Option<Fault> {
    let (name, subresource) = match resource.split_once('/') {
        Some((name, subresource)) => (name, Some(subresource)),
        None => (resource, None),
    };
    let named = catalog.named(groups, name);
    match subresource {
        Some("") => Some(
            Fault::new(format!("`{resource}` has no subresource"))
                .hint("write the subresource behind the slash, or leave out the slash"),
        ),
        _ if name == "*" => None,
        _ if named.is_empty() => Some(unknown::fault(name, groups, catalog)),
        Some(subresource) => unknown_subresource(&named, subresource),
        None => None,
    }
}

/// RBAC compares `name/subresource` as a whole: a wildcard may be all of it or all of the name
/// (`ResourceMatches` in `pkg/apis/rbac/v1/evaluation_helpers.go` of `k8s.io/kubernetes`).
fn unknown_subresource(named: &[&Resource], subresource: &str) -> Option<Fault> {
    let name = named[0].name;
    let mut known: Vec<&str> = named.iter().flat_map(|r| r.subresources()).collect();
    known.sort_unstable();
    known.dedup();
    // The keys of the extra fields of whoever is impersonated are anybody's.
    if known.contains(&subresource) || name == "userextras" {
        return None;
    }
    let all = known.join(", ");
    let fault = match subresource {
        "*" => Fault::new(format!("`{name}/*` grants nothing: it is not a wildcard"))
            .hint(format!("name what you need of {all}")),
        _ => Fault::new(format!("`{name}` has no subresource `{subresource}`")).hint(
            match suggest::nearest(subresource, known) {
                Some(meant) => format!("did you mean `{name}/{meant}`?"),
                None => format!("it has {all}"),
            },
        ),
    };
    Some(fault)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{accepted, refused};
    use super::*;

    #[test]
    fn what_there_is_is_accepted() {
        for rule in [
            r#"groups="",resources=pods;pods/log;pods/exec;serviceaccounts/token"#,
            r#"groups="",resources=namespaces/finalize;namespaces/finalizers;nodes/metrics"#,
            "groups=core,resources=users;groups;endpoints/restricted",
            "groups=apps,resources=deployments;deployments/status;deployments/scale",
            "groups=apps,resources=deployments/finalizers",
            "groups=app.example.com,resources=appservices;appservices/status;appservices/scale",
            "groups=app.example.com,resources=appservices/finalizers;people",
            "groups=apps,resources=*",
            "groups=apps,resources=*/status;*/scale;*/finalizers",
            "groups=apps;batch,resources=deployments;jobs",
            "groups=apps;app.example.com,resources=deployments/status;people/status",
            "groups=core;events.k8s.io,resources=events",
            "groups=authentication.k8s.io,resources=userextras/scopes;uids",
            "groups=certificates.k8s.io,resources=signers;certificatesigningrequests/approval",
        ] {
            accepted(check, &format!("{rule},verbs=get"));
        }
    }

    #[test]
    fn foreign_groups_are_not_looked_into() {
        for groups in ["cert-manager.io", "*", "apps;cert-manager.io"] {
            accepted(
                check,
                &format!("groups={groups},resources=Thing/*,verbs=get"),
            );
        }
    }

    #[test]
    fn an_unknown_subresource_is_refused() {
        for (rule, message, hint) in [
            (
                "groups=apps,resources=deployments/statu",
                "`deployments` has no subresource `statu`",
                "did you mean `deployments/status`?",
            ),
            (
                "groups=apps,resources=deployments/logs",
                "`deployments` has no subresource `logs`",
                "it has finalizers, scale, status",
            ),
            (
                "groups=app.example.com,resources=appservices/finalizer",
                "`appservices` has no subresource `finalizer`",
                "did you mean `appservices/finalizers`?",
            ),
            (
                "groups=core,resources=endpoints/status",
                "`endpoints` has no subresource `status`",
                "it has finalizers, restricted",
            ),
            (
                "groups=apps,resources=deployments/*",
                "`deployments/*` grants nothing: it is not a wildcard",
                "name what you need of finalizers, scale, status",
            ),
            (
                "groups=apps,resources=deployments/",
                "`deployments/` has no subresource",
                "write the subresource behind the slash, or leave out the slash",
            ),
        ] {
            refused(check, &format!("{rule},verbs=get"), message, hint);
        }
    }
}
