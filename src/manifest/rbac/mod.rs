//! Roles from the comment markers in a project's code, without compiling it.
//!
//! The markers are kubebuilder's, `// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get`
//! (`+rop:rbac` is a synonym), and they become what its controller-gen makes of them. What it takes
//! on trust is checked here: verbs, groups and resources that do not exist are told with their line.

mod builtin;
mod catalog;
mod check;
mod comment;
mod fault;
mod grant;
mod marker;
mod merge;
mod name;
mod role;
mod rule;
mod suggest;
mod syntax;
#[cfg(test)]
mod tests;

use crate::error::Result;

use catalog::Catalog;
use fault::{Fault, Problem};
use grant::Grant;
use role::Roles;

/// A Rust source to read markers from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    /// What errors call it: its path in the project.
    pub path: &'a str,
    /// What stands in it.
    pub text: &'a str,
}

/// A kind that the project defines.
#[derive(Clone, Debug)]
pub(super) struct OwnKind {
    /// The whole API group: `app.example.com`.
    pub group: String,
    /// The kind: `AppService`.
    pub kind: String,
    /// The resource: `appservices`.
    pub plural: String,
    /// Whether its objects live in a namespace.
    pub namespaced: bool,
}

/// What markers are checked against, beside Kubernetes itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// The kinds that the project defines: all that there is in their groups. A kind of someone
    /// else's that it only controls does not belong here.
    pub own: Vec<OwnKind>,
}

/// How roles are written.
#[derive(Clone, Debug)]
pub(super) struct Options {
    /// The name of a role whose marker gives none: `manager-role`.
    pub role_name: String,
    /// Whether the operator is confined to its namespace: a Role takes the place of the
    /// `ClusterRole`.
    pub namespaced: bool,
}

/// The roles that the markers in `sources` ask for, as YAML documents: the project's own role, even
/// if it grants nothing, and one more for each other name or namespace.
///
/// The order of `sources`, and that of the markers in them, makes no difference.
///
/// # Errors
/// Markers are malformed, name verbs or resources that do not exist, or ask of a Role what only a
/// `ClusterRole` can grant. One error tells all of them, each with its path, line and what to do.
pub(super) fn roles(sources: &[Source], known: &Known, options: &Options) -> Result<String> {
    let catalog = Catalog::new(known);
    let mut roles = Roles::new(options);
    let mut problems = Vec::new();
    for source in sources {
        for (line, comment) in comment::line_comments(source.text) {
            match read(comment, &catalog, options) {
                Some(Ok(grant)) => roles.add(grant),
                Some(Err(faults)) => problems.extend(
                    faults
                        .into_iter()
                        .map(|fault| Problem::new(source.path, line, fault)),
                ),
                None => {}
            }
        }
    }
    if problems.is_empty() {
        roles.to_yaml()
    } else {
        Err(fault::error(problems))
    }
}

/// The checked rule of the marker in a line comment, `None` where it holds none.
fn read(comment: &str, catalog: &Catalog, options: &Options) -> Option<Result<Grant, Vec<Fault>>> {
    let arguments = marker::arguments(comment)?.and_then(syntax::parse);
    let grant = match arguments {
        Ok(arguments) => Grant::new(arguments, catalog),
        Err(fault) => Err(vec![fault]),
    };
    Some(grant.and_then(|grant| {
        let faults = check::check(&grant, catalog, options);
        if faults.is_empty() {
            Ok(grant)
        } else {
            Err(faults)
        }
    }))
}
