//! Resources and their subresources, and what was probably meant by one that is not there.

use super::super::catalog::{Catalog, Origin, Resource};
use super::super::rule::Rule;
use super::called;
use crate::manifest::marker::Diagnostic;
use crate::suggest;

/// Resources that are not there, where somebody vouches for every group.
pub(super) fn check(rule: &Rule, catalog: &Catalog) -> Vec<Diagnostic> {
    let groups: Vec<&str> = rule.groups.iter().map(String::as_str).collect();
    if groups
        .iter()
        .any(|group| catalog.origin(group) == Origin::Foreign)
    {
        return Vec::new();
    }
    rule.resources
        .iter()
        .filter_map(|resource| diagnostic(resource, &groups, catalog))
        .collect()
}

/// What is wrong with `resource`. With several groups it may be in any of them: they are often
/// listed as `apps;batch` with the resources of both.
fn diagnostic(resource: &str, groups: &[&str], catalog: &Catalog) -> Option<Diagnostic> {
    let (name, subresource) = match resource.split_once('/') {
        Some((name, subresource)) => (name, Some(subresource)),
        None => (resource, None),
    };
    let named = catalog.named(groups, name);
    match subresource {
        Some("") => Some(
            Diagnostic::new(format!("`{resource}` has no subresource"))
                .hint("add the subresource after the slash, or remove the slash"),
        ),
        _ if name == "*" => None,
        _ if named.is_empty() => Some(unknown(name, groups, catalog)),
        Some(subresource) => unknown_subresource(&named, subresource),
        None => None,
    }
}

/// RBAC compares `name/subresource` as a whole: a wildcard may be all of it or all of the name
/// (`ResourceMatches` in `pkg/apis/rbac/v1/evaluation_helpers.go` of `k8s.io/kubernetes`).
fn unknown_subresource(named: &[&Resource], subresource: &str) -> Option<Diagnostic> {
    let name = named[0].name;
    let mut known: Vec<&str> = named.iter().flat_map(|r| r.subresources()).collect();
    known.sort_unstable();
    known.dedup();
    // The keys of the extra fields of whoever is impersonated are anybody's.
    if known.contains(&subresource) || name == "userextras" {
        return None;
    }
    let all = known.join(", ");
    let diagnostic = match subresource {
        "*" => Diagnostic::new(format!(
            "`{name}/*` grants nothing: `*` is not a wildcard for \
            subresources"
        ))
        .hint(format!("list the subresources that you need: {all}")),
        _ => Diagnostic::new(format!("`{name}` has no subresource `{subresource}`")).hint(
            match suggest::nearest(subresource, known) {
                Some(meant) => format!("did you mean `{name}/{meant}`?"),
                None => format!("its subresources are {all}"),
            },
        ),
    };
    Some(diagnostic)
}

/// Says that none of `groups` has a resource `name`, and which was probably meant.
fn unknown(name: &str, groups: &[&str], catalog: &Catalog) -> Diagnostic {
    let places: Vec<String> = groups.iter().copied().map(called).collect();
    let place = places.join(" or ");
    let elsewhere = catalog.groups_of(name);
    if !elsewhere.is_empty() {
        let elsewhere: Vec<String> = elsewhere.into_iter().map(called).collect();
        return Diagnostic::new(format!("`{name}` is not in {place}"))
            .hint(format!("it is in {}", elsewhere.join(" and ")));
    }
    let hint = match meant(name, groups, catalog) {
        Some(meant) if groups.contains(&meant.group) => format!("did you mean `{}`?", meant.name),
        Some(meant) => format!("did you mean `{}` in {}?", meant.name, called(meant.group)),
        None => list(groups, catalog),
    };
    Diagnostic::new(format!("unknown resource `{name}` in {place}")).hint(hint)
}

/// The resource that was probably meant: by its kind or singular, or by a slip; in the groups that
/// were given, or in others.
fn meant<'a>(name: &str, groups: &[&str], catalog: &'a Catalog<'a>) -> Option<&'a Resource<'a>> {
    let (here, elsewhere): (Vec<&Resource>, Vec<&Resource>) =
        catalog.all().partition(|r| groups.contains(&r.group));
    let by_kind = |resources: &[&'a Resource<'a>]| {
        let is_meant = |r: &&Resource| r.is_of(name) || suggest::is_plural(r.name, name);
        resources.iter().copied().find(is_meant)
    };
    let by_slip = |resources: &[&'a Resource<'a>]| {
        let near = suggest::nearest(name, resources.iter().map(|r| r.name))?;
        resources.iter().copied().find(|r| r.name == near)
    };
    by_kind(&here)
        .or_else(|| by_kind(&elsewhere))
        .or_else(|| by_slip(&here))
        .or_else(|| by_slip(&elsewhere))
}

/// What there is, as far as a line holds it.
fn list(groups: &[&str], catalog: &Catalog) -> String {
    let mut names: Vec<&str> = catalog
        .all()
        .filter(|resource| groups.contains(&resource.group))
        .map(|resource| resource.name)
        .collect();
    names.dedup();
    match names.len() {
        ..=8 => format!("its resources are {}", names.join(", ")),
        _ => "see `kubectl api-resources`".to_owned(),
    }
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
                "its subresources are finalizers, scale, status",
            ),
            (
                "groups=app.example.com,resources=appservices/finalizer",
                "`appservices` has no subresource `finalizer`",
                "did you mean `appservices/finalizers`?",
            ),
            (
                "groups=core,resources=endpoints/status",
                "`endpoints` has no subresource `status`",
                "its subresources are finalizers, restricted",
            ),
            (
                "groups=apps,resources=deployments/*",
                "`deployments/*` grants nothing: `*` is not a wildcard for subresources",
                "list the subresources that you need: finalizers, scale, status",
            ),
            (
                "groups=apps,resources=deployments/",
                "`deployments/` has no subresource",
                "add the subresource after the slash, or remove the slash",
            ),
        ] {
            refused(check, &format!("{rule},verbs=get"), message, hint);
        }
    }

    #[test]
    fn a_resource_of_another_group_is_found() {
        for (groups, resource, place, hint) in [
            ("core", "deployments", "the core group", "it is in `apps`"),
            ("apps", "pods/log", "`apps`", "it is in the core group"),
            ("apps", "endpoints", "`apps`", "it is in the core group"),
            (
                "apps;batch",
                "events",
                "`apps` or `batch`",
                "it is in the core group and `events.k8s.io`",
            ),
            (
                "batch",
                "appservices",
                "`batch`",
                "it is in `app.example.com`",
            ),
        ] {
            let name = resource.split('/').next().expect("a name");
            refused(
                check,
                &format!("groups={groups},resources={resource},verbs=get"),
                &format!("`{name}` is not in {place}"),
                hint,
            );
        }
    }

    fn refuses(group: &str, resource: &str, hint: &str) {
        let name = resource.split('/').next().expect("a name");
        refused(
            check,
            &format!("groups={group},resources={resource},verbs=get"),
            &format!("unknown resource `{name}` in `{group}`"),
            hint,
        );
    }

    #[test]
    fn a_slip_or_a_singular_has_its_plural() {
        for (group, resource, meant) in [
            ("apps", "deploymens", "deployments"),
            ("apps", "deployment", "deployments"),
            ("apps", "Deployment", "deployments"),
            ("apps", "Deployments/status", "deployments"),
            ("networking.k8s.io", "networkpolicy", "networkpolicies"),
            ("app.example.com", "AppService", "appservices"),
            ("app.example.com", "appservice", "appservices"),
            ("app.example.com", "Person", "people"),
        ] {
            refuses(group, resource, &format!("did you mean `{meant}`?"));
        }
    }

    #[test]
    fn what_was_meant_may_be_in_another_group() {
        for (group, resource, meant) in [
            ("apps", "person", "`people` in `app.example.com`"),
            (
                "apps",
                "NetworkPolicy",
                "`networkpolicies` in `networking.k8s.io`",
            ),
            ("apps", "pod", "`pods` in the core group"),
            ("apps", "secrts", "`secrets` in the core group"),
        ] {
            refuses(group, resource, &format!("did you mean {meant}?"));
        }
    }

    #[test]
    fn else_there_is_a_list() {
        for (group, hint) in [
            ("app.example.com", "its resources are appservices, people"),
            ("batch", "its resources are cronjobs, jobs"),
        ] {
            refuses(group, "widgets", hint);
        }
        refused(
            check,
            "groups=core,resources=widgets,verbs=get",
            "unknown resource `widgets` in the core group",
            "see `kubectl api-resources`",
        );
    }
}
