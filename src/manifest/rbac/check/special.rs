//! Verbs that stand for a right of their own.

use super::super::fault::Fault;
use super::super::rule::Rule;
use super::called;

/// A group, resources of it and the verbs that are theirs; `*` is any. A verb that ends in a colon
/// goes on with another verb.
///
/// Where they are asked for, in `k8s.io/kubernetes` and `k8s.io/apiserver`: signers in
/// `pkg/certauthorization`, roles in `pkg/registry/rbac/escalation_check.go`, impersonation in
/// `pkg/endpoints/filters/impersonation`, device status in `pkg/registry/resource`, deletion of
/// what cannot be read in `pkg/endpoints/handlers/delete.go`; `use` by `OpenShift`.
const SPECIAL: [(&str, &str, &str); 10] = [
    (CERTIFICATES, "signers", "approve attest sign"),
    (RBAC, "clusterroles roles", "bind escalate"),
    ("", "groups serviceaccounts users", "impersonate"),
    (IDENTITY, "uids userextras", "impersonate"),
    (
        IDENTITY,
        "nodes",
        "impersonate:arbitrary-node impersonate:associated-node",
    ),
    (IDENTITY, "serviceaccounts", "impersonate:serviceaccount"),
    (
        IDENTITY,
        "groups uids userextras users",
        "impersonate:user-info",
    ),
    (
        DEVICES,
        "resourceclaims/driver",
        "arbitrary-node: associated-node:",
    ),
    (OPENSHIFT, "securitycontextconstraints", "use"),
    ("*", "*", "impersonate-on: unsafe-delete-ignore-read-errors"),
];

const CERTIFICATES: &str = "certificates.k8s.io";
const DEVICES: &str = "resource.k8s.io";
const IDENTITY: &str = "authentication.k8s.io";
const OPENSHIFT: &str = "security.openshift.io";
const RBAC: &str = "rbac.authorization.k8s.io";

/// Where a special verb belongs.
#[derive(Clone, Copy)]
pub(super) struct Place {
    group: &'static str,
    resources: &'static str,
}

impl Place {
    /// Whether the verb means something in `rule`.
    pub(super) fn is_in(&self, rule: &Rule) -> bool {
        let group = self.group == "*" || rule.groups.contains(self.group);
        let fits = |resource: &String| {
            let name = resource.split('/').next();
            let mut known = self.resources.split(' ');
            resource == "*" || known.any(|r| r == "*" || r == resource || Some(r) == name)
        };
        group && rule.resources.iter().any(fits)
    }
}

/// All special verbs.
pub(super) fn verbs() -> impl Iterator<Item = &'static str> {
    SPECIAL.iter().flat_map(|(_, _, verbs)| verbs.split(' '))
}

/// Where `verb` belongs: nowhere where it is not special.
pub(super) fn places(verb: &str) -> impl Iterator<Item = Place> {
    let is = move |known: &str| {
        let rest = verb.strip_prefix(known);
        rest.is_some_and(|rest| rest.is_empty() != known.ends_with(':'))
    };
    SPECIAL
        .iter()
        .filter(move |(_, _, verbs)| verbs.split(' ').any(is))
        .map(|(group, resources, _)| Place { group, resources })
}

/// Says that `verb` belongs to `places`, and not where it is.
pub(super) fn misplaced(verb: &str, places: &[Place]) -> Fault {
    let places: Vec<String> = places
        .iter()
        .map(|place| {
            format!(
                "{} in {}",
                place.resources.replace(' ', ", "),
                called(place.group)
            )
        })
        .collect();
    Fault::new(format!("`{verb}` is not a verb of these resources"))
        .hint(format!("it is one of {}", places.join(" and of ")))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{accepted, refused};
    use super::super::verb::check;

    #[test]
    fn special_verbs_are_accepted_where_they_belong() {
        for rule in [
            "groups=rbac.authorization.k8s.io,resources=roles;rolebindings,verbs=bind;escalate;get",
            "groups=rbac.authorization.k8s.io,resources=*,verbs=bind",
            "groups=core,resources=users;groups;serviceaccounts,verbs=impersonate",
            "groups=authentication.k8s.io,resources=userextras/scopes,verbs=impersonate",
            "groups=authentication.k8s.io,resources=nodes,verbs=impersonate:associated-node",
            "groups=apps,resources=deployments,verbs=impersonate-on:user-info:get",
            "groups=certificates.k8s.io,resources=signers,verbs=approve;sign;attest",
            "groups=resource.k8s.io,resources=resourceclaims/driver,verbs=arbitrary-node:update",
            "groups=apps,resources=deployments,verbs=unsafe-delete-ignore-read-errors",
            "groups=security.openshift.io,resources=securitycontextconstraints,verbs=use",
            "groups=app.example.com,resources=appservices,verbs=use",
        ] {
            accepted(check, rule);
        }
    }

    #[test]
    fn special_verbs_are_refused_elsewhere() {
        for (rule, verb, hint) in [
            (
                "groups=apps,resources=deployments",
                "bind",
                "it is one of clusterroles, roles in `rbac.authorization.k8s.io`",
            ),
            (
                "groups=rbac.authorization.k8s.io,resources=rolebindings",
                "bind",
                "it is one of clusterroles, roles in `rbac.authorization.k8s.io`",
            ),
            (
                "groups=apps,resources=*",
                "impersonate",
                "it is one of groups, serviceaccounts, users in the core group and of uids, \
                 userextras in `authentication.k8s.io`",
            ),
            (
                "groups=policy,resources=poddisruptionbudgets",
                "use",
                "it is one of securitycontextconstraints in `security.openshift.io`",
            ),
            (
                "groups=resource.k8s.io,resources=resourceclaims",
                "associated-node:update",
                "it is one of resourceclaims/driver in `resource.k8s.io`",
            ),
        ] {
            refused(
                check,
                &format!("{rule},verbs={verb}"),
                &format!("`{verb}` is not a verb of these resources"),
                hint,
            );
        }
    }
}
