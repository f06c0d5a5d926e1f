//! Roles from the comment markers in a project's code, without compiling it.
//!
//! The markers are kubebuilder's, `// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get`
//! (`+rop:rbac` is a synonym), and they become what its controller-gen makes of them. What it takes
//! on trust is checked here: verbs, groups and resources that do not exist are told with their line.

mod builtin;
mod catalog;
mod check;
mod grant;
mod name;
mod role;
mod rule;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::error::Result;

use super::marker::{self, Argument, Diagnostic, Marker, Name, Source, markers};

pub(super) use catalog::Catalog;
#[cfg(test)]
pub(super) use catalog::tests::own_kinds;
use grant::Grant;
pub(super) use role::{NamespacedRole, Roles};
use rule::Rule;

/// The most groups, names and verbs that the resources of all markers have, counted for each resource: roles that are
/// larger do not fit into etcd.
const MOST: usize = 100_000;

const TOO_LARGE: &str = "use `*` for groups or resources, or write a role by hand in `config/rbac`";

/// A kind that the project defines.
#[derive(Clone, Debug)]
pub(super) struct OwnKind {
    /// The whole API group: `app.example.com`.
    pub group: String,
    /// The kind: `AppService`.
    pub kind: String,
    /// The resource: `appservices`.
    pub plural: String,
    /// The version: `v1alpha1`.
    pub version: String,
    /// Whether its objects live in a namespace.
    pub namespaced: bool,
}

/// What markers are checked against, beside Kubernetes itself.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnKinds {
    /// The kinds that the project defines: all that there is in their groups. A kind of someone
    /// else's that it only controls does not belong here.
    pub kinds: Vec<OwnKind>,
}

/// How roles are written.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The name of a role whose marker gives none: `manager-role`.
    pub role_name: String,
    /// Whether the operator is confined to its namespace: a Role takes the place of the
    /// `ClusterRole`.
    pub namespaced: bool,
    /// Who gets the Roles of other namespaces.
    pub account: Account,
}

/// The service account of the operator, as manifests name it.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    pub name: String,
    pub namespace: String,
}

/// The roles that the markers in `sources` ask for: the project's own role, even if it grants
/// nothing, and one more for each other name or namespace.
///
/// The order of `sources`, and that of the markers in them, makes no difference.
///
/// # Errors
/// Markers are malformed, name verbs or resources that do not exist, or ask of a Role what only a
/// `ClusterRole` can grant. One error tells all of them, each with its path, line and what to do.
pub(super) fn roles<'a>(
    sources: &[Source],
    own_kinds: &OwnKinds,
    options: &'a Options,
) -> Result<Roles<'a>> {
    let catalog = Catalog::new(own_kinds);
    let mut roles = Roles::new(options);
    let mut problems = Vec::new();
    let mut size = 0;
    for Marker { place, arguments } in markers(sources, Name::Rbac) {
        match read(arguments, &catalog, options) {
            Ok(grant) => {
                size += grant.rule.size();
                if size > MOST {
                    problems.push(place.problem(too_many(size)));
                    break;
                }
                roles.add(grant);
            }
            Err(found) => problems.extend(found.into_iter().map(|found| place.problem(found))),
        }
    }
    if problems.is_empty() {
        roles.check_names()?;
        Ok(roles)
    } else {
        Err(marker::error("RBAC", problems))
    }
}

/// The rules that the markers in sources ask for, each with its path. Those that are wrong are left out.
pub(super) fn rules<'a>(
    sources: &[Source<'a>],
    own_kinds: &OwnKinds,
) -> impl Iterator<Item = (&'a str, Value)> {
    let catalog = Catalog::new(own_kinds);
    let markers = markers(sources, Name::Rbac).into_iter();
    markers.filter_map(move |Marker { place, arguments }| {
        let grant = Grant::new(arguments.ok()?, &catalog).ok()?;
        Some((place.path(), json!(grant.rule)))
    })
}

/// A rule that is too large by itself.
fn too_large(rule: &Rule) -> Diagnostic {
    let (groups, resources) = (rule.groups.len(), rule.resources.len());
    let (names, verbs) = (rule.resource_names.len(), rule.verbs.len());
    Diagnostic::new(format!(
        "the rule has {resources} resources with {groups} groups, {names} names and {verbs} verbs each, which make {}: \
         at most {MOST} are merged",
        rule.size()
    ))
    .hint(TOO_LARGE)
}

/// Rules that are too large together.
fn too_many(size: usize) -> Diagnostic {
    Diagnostic::new(format!(
        "the rules up to here have resources with {size} groups, names and verbs: at most {MOST} are merged"
    ))
    .hint(TOO_LARGE)
}

/// Groups and resources that do not exist.
pub(super) fn unknown(
    groups: BTreeSet<String>,
    resources: BTreeSet<String>,
    catalog: &Catalog,
) -> Vec<Diagnostic> {
    let rule = Rule {
        groups,
        resources,
        ..Rule::default()
    };
    check::existence(&rule, catalog)
}

/// The checked rule of a marker.
fn read(
    arguments: Result<Vec<Argument>, Diagnostic>,
    catalog: &Catalog,
    options: &Options,
) -> Result<Grant, Vec<Diagnostic>> {
    let arguments = arguments.map_err(|diagnostic| vec![diagnostic])?;
    let grant = Grant::new(arguments, catalog)?;
    if grant.rule.size() > MOST {
        return Err(vec![too_large(&grant.rule)]);
    }
    let diagnostics = check::check(&grant, catalog, options);
    if diagnostics.is_empty() {
        Ok(grant)
    } else {
        Err(diagnostics)
    }
}
