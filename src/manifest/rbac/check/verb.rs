//! Verbs on resources, and those that stand for a right of their own.

use super::super::catalog::{Catalog, Origin};
use super::super::rule::Rule;
use super::called;
use crate::manifest::marker::Diagnostic;
use crate::suggest;

/// The verbs of requests (<https://kubernetes.io/docs/reference/access-authn-authz/authorization/>).
const REQUEST: [&str; 8] = [
    "get",
    "list",
    "watch",
    "create",
    "update",
    "patch",
    "delete",
    "deletecollection",
];

/// What other words for a verb there are.
const SYNONYMS: [(&str, &str); 8] = [
    ("all", "*"),
    ("edit", "update"),
    ("modify", "update"),
    ("post", "create"),
    ("put", "update"),
    ("read", "get"),
    ("remove", "delete"),
    ("write", "update"),
];

/// Verbs that nobody asks for. In groups that nobody vouches for any verb may be, so that only what
/// is rather a slip is refused there. Kinds of the project's own may give the special verbs a
/// meaning.
pub(super) fn check(rule: &Rule, catalog: &Catalog) -> Vec<Diagnostic> {
    let from = |origin| rule.groups.iter().any(|g| catalog.origin(g) == origin);
    let (foreign, own) = (from(Origin::Foreign), from(Origin::Own));
    let diagnostic = |verb: &String| {
        if verb == "*" || REQUEST.contains(&verb.as_str()) {
            return None;
        }
        if foreign {
            let meant = REQUEST.iter().find(|known| suggest::is_slip(verb, known))?;
            return Some(unknown(verb, Some(meant)));
        }
        let places: Vec<_> = places(verb).collect();
        if places.is_empty() {
            return Some(unknown(verb, meant(verb)));
        }
        let fits = own || places.iter().any(|place| place.is_in(rule));
        (!fits).then(|| misplaced(verb, &places))
    };
    rule.verbs.iter().filter_map(diagnostic).collect()
}

fn meant(verb: &str) -> Option<&'static str> {
    let lower = verb.to_lowercase();
    let synonym = SYNONYMS.iter().find(|(word, _)| *word == lower);
    synonym
        .map(|(_, verb)| *verb)
        .or_else(|| suggest::nearest(verb, REQUEST.into_iter().chain(special())))
}

fn unknown(verb: &str, meant: Option<&str>) -> Diagnostic {
    Diagnostic::new(format!("unknown verb `{verb}`")).hint(match meant {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("the verbs are {} and `*`", REQUEST.join(", ")),
    })
}

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
struct VerbScope {
    group: &'static str,
    resources: &'static str,
}

impl VerbScope {
    /// Whether the verb means something in `rule`.
    fn is_in(&self, rule: &Rule) -> bool {
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
fn special() -> impl Iterator<Item = &'static str> {
    SPECIAL.iter().flat_map(|(_, _, verbs)| verbs.split(' '))
}

/// Where `verb` belongs: nowhere where it is not special.
fn places(verb: &str) -> impl Iterator<Item = VerbScope> {
    let is = move |known: &str| {
        let rest = verb.strip_prefix(known);
        rest.is_some_and(|rest| rest.is_empty() != known.ends_with(':'))
    };
    SPECIAL
        .iter()
        .filter(move |(_, _, verbs)| verbs.split(' ').any(is))
        .map(|(group, resources, _)| VerbScope { group, resources })
}

/// Says that `verb` belongs to `places`, and not where it is.
fn misplaced(verb: &str, places: &[VerbScope]) -> Diagnostic {
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
    Diagnostic::new(format!("`{verb}` is not a verb of these resources"))
        .hint(format!("valid verbs are {}", places.join(" and of ")))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{accepted, refused};
    use super::*;

    #[test]
    fn verbs_of_requests_are_accepted_everywhere() {
        for group in ["apps", "app.example.com", "cert-manager.io", "*"] {
            for verb in REQUEST.into_iter().chain(["*"]) {
                accepted(check, &format!("groups={group},resources=a,verbs={verb}"));
            }
        }
    }

    #[test]
    fn unknown_verbs_are_refused_where_all_are_known() {
        for (verb, hint) in [
            ("gett", "did you mean `get`?"),
            ("Get", "did you mean `get`?"),
            ("wacth", "did you mean `watch`?"),
            ("updates", "did you mean `update`?"),
            ("escallate", "did you mean `escalate`?"),
            ("put", "did you mean `update`?"),
            ("READ", "did you mean `get`?"),
            ("all", "did you mean `*`?"),
            (
                "impersonate:anybody",
                "the verbs are get, list, watch, create, update, patch, delete, deletecollection \
                 and `*`",
            ),
        ] {
            for group in ["apps", "core", "app.example.com", "apps;app.example.com"] {
                refused(
                    check,
                    &format!("groups={group},resources=a,verbs={verb}"),
                    &format!("unknown verb `{verb}`"),
                    hint,
                );
            }
        }
    }

    #[test]
    fn only_slips_are_refused_in_foreign_groups() {
        for groups in ["cert-manager.io", "*", "apps;cert-manager.io"] {
            for verb in ["set", "match", "sync", "use", "bind", "impersonate", "put"] {
                accepted(check, &format!("groups={groups},resources=a,verbs={verb}"));
            }
            for (verb, meant) in [("gett", "get"), ("LIST", "list"), ("delte", "delete")] {
                refused(
                    check,
                    &format!("groups={groups},resources=a,verbs={verb}"),
                    &format!("unknown verb `{verb}`"),
                    &format!("did you mean `{meant}`?"),
                );
            }
        }
    }

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
                "valid verbs are clusterroles, roles in `rbac.authorization.k8s.io`",
            ),
            (
                "groups=rbac.authorization.k8s.io,resources=rolebindings",
                "bind",
                "valid verbs are clusterroles, roles in `rbac.authorization.k8s.io`",
            ),
            (
                "groups=apps,resources=*",
                "impersonate",
                "valid verbs are groups, serviceaccounts, users in the core group and of uids, \
                 userextras in `authentication.k8s.io`",
            ),
            (
                "groups=policy,resources=poddisruptionbudgets",
                "use",
                "valid verbs are securitycontextconstraints in `security.openshift.io`",
            ),
            (
                "groups=resource.k8s.io,resources=resourceclaims",
                "associated-node:update",
                "valid verbs are resourceclaims/driver in `resource.k8s.io`",
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
