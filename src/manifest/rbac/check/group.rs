//! API groups.

use super::super::catalog::{Catalog, Origin};
use super::super::rule::Rule;
use super::called;
use crate::manifest::marker::Diagnostic;
use crate::suggest;

/// Groups that cannot be. Only Kubernetes has some without a dot: the group of a custom resource is
/// a DNS-1123 subdomain with at least one (`ValidateCustomResourceDefinition` in
/// `k8s.io/apiextensions-apiserver`).
pub(super) fn check(rule: &Rule, catalog: &Catalog) -> Vec<Diagnostic> {
    rule.groups
        .iter()
        .filter(|group| catalog.origin(group) == Origin::Foreign && !may_be(group))
        .map(|group| {
            Diagnostic::new(format!("unknown API group `{group}`")).hint(hint(group, catalog))
        })
        .collect()
}

fn may_be(group: &str) -> bool {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.');
    group == "*" || group.contains('.') && group.chars().all(inner)
}

fn hint(group: &str, catalog: &Catalog) -> String {
    if let Some((group, _version)) = group.split_once('/') {
        return match group {
            "core" => "remove the version: `groups=\"\"`".to_owned(),
            group => format!("remove the version: `groups={group}`"),
        };
    }
    let meant: Vec<String> = meant(group, catalog).into_iter().map(called).collect();
    match group {
        "v1" => "the core group is `groups=\"\"`".to_owned(),
        // https://kubernetes.io/docs/reference/using-api/deprecation-guide/
        "extensions" => "Kubernetes 1.22 removed it: its resources are in `apps`, \
                         `networking.k8s.io` and `policy`"
            .to_owned(),
        _ if meant.is_empty() => {
            "only Kubernetes groups have no dot: see `kubectl api-resources`".to_owned()
        }
        _ => format!("did you mean {}?", meant.join(" or ")),
    }
}

/// The groups that start with that word, and the one that differs by a slip.
fn meant<'a>(group: &str, catalog: &'a Catalog) -> Vec<&'a str> {
    let known = catalog.named_groups();
    let starts = |known: &str| {
        let rest = known.strip_prefix(group);
        rest.is_some_and(|rest| rest.starts_with('.'))
    };
    let mut meant: Vec<&str> = known
        .iter()
        .copied()
        .filter(|known| starts(known))
        .collect();
    meant.extend(suggest::nearest(group, known));
    meant.dedup();
    meant
}

#[cfg(test)]
mod tests {
    use super::super::tests::{accepted, refused};
    use super::*;

    #[test]
    fn groups_that_may_be_are_accepted() {
        for group in [
            "\"\"",
            "core",
            "apps",
            "rbac.authorization.k8s.io",
            "app.example.com",
            "cert-manager.io",
            "apps.example.com",
            "*",
        ] {
            accepted(check, &format!("groups={group},resources=a,verbs=get"));
        }
    }

    #[test]
    fn groups_that_cannot_be_are_refused() {
        for (group, hint) in [
            ("aps", "did you mean `apps`?"),
            ("Apps", "did you mean `apps`?"),
            ("app", "did you mean `app.example.com` or `apps`?"),
            ("networking", "did you mean `networking.k8s.io`?"),
            ("rbac", "did you mean `rbac.authorization.k8s.io`?"),
            ("storage", "did you mean `storage.k8s.io`?"),
            ("v1", "the core group is `groups=\"\"`"),
            ("apps/v1", "remove the version: `groups=apps`"),
            ("core/v1", "remove the version: `groups=\"\"`"),
            (
                "app.example.com/v1",
                "remove the version: `groups=app.example.com`",
            ),
            (
                "extensions",
                "Kubernetes 1.22 removed it: its resources are in `apps`, `networking.k8s.io` \
                 and `policy`",
            ),
            (
                "things",
                "only Kubernetes groups have no dot: see `kubectl api-resources`",
            ),
            ("App.Example.Com", "did you mean `app.example.com`?"),
        ] {
            refused(
                check,
                &format!("groups={group},resources=a,verbs=get"),
                &format!("unknown API group `{group}`"),
                hint,
            );
        }
    }
}
