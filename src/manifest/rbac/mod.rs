//! Roles from the comment markers in a project's code, without compiling it.
//!
//! The markers are kubebuilder's, `// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get`
//! (`+rop:rbac` is a synonym), and they become what its controller-gen makes of them. What it takes
//! on trust is checked here: verbs, groups and resources that do not exist are told with their line.

mod builtin;
mod catalog;
mod check;
mod comment;
mod diagnostic;
mod grant;
mod marker;
mod name;
mod role;
mod rule;
mod suggest;
mod syntax;
mod test_code;
#[cfg(test)]
mod tests;

use crate::error::Result;

use catalog::Catalog;
use diagnostic::{Diagnostic, Problem};
use grant::Grant;
use role::Roles;
use test_code::{TestCode, test_code};

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
    let for_tests: Vec<TestCode> = sources.iter().map(|s| test_code(s.text)).collect();
    let of_tests = modules(sources, &for_tests);
    for (source, for_tests) in sources.iter().zip(&for_tests) {
        if is_one_of(source.path, &of_tests) {
            continue;
        }
        for (line, comment) in comment::line_comments(source.text, &for_tests.ranges) {
            match read(comment, &catalog, options) {
                Some(Ok(grant)) => roles.add(grant),
                Some(Err(diagnostics)) => problems.extend(
                    diagnostics
                        .into_iter()
                        .map(|diagnostic| Problem::new(source.path, line, diagnostic)),
                ),
                None => {}
            }
        }
    }
    if problems.is_empty() {
        roles.to_yaml()
    } else {
        Err(diagnostic::error(problems))
    }
}

/// The paths, without `.rs`, of modules that are compiled for tests only.
fn modules(sources: &[Source], for_tests: &[TestCode]) -> Vec<String> {
    let of_source = |(source, found): (&Source, &TestCode)| {
        let stem = source.path.trim_end_matches(".rs");
        let folder = match stem.rsplit_once('/') {
            Some((folder, "lib" | "main" | "mod")) => folder,
            _ => stem,
        };
        let paths = found
            .modules
            .iter()
            .map(|module| format!("{folder}/{module}"));
        paths.collect::<Vec<_>>()
    };
    sources.iter().zip(for_tests).flat_map(of_source).collect()
}

/// Whether a source is one of some modules, or below one.
fn is_one_of(path: &str, modules: &[String]) -> bool {
    modules.iter().any(|module| {
        let rest = path.strip_prefix(module.as_str());
        rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
    })
}

/// The checked rule of the marker in a line comment, `None` where it holds none.
fn read(
    comment: &str,
    catalog: &Catalog,
    options: &Options,
) -> Option<Result<Grant, Vec<Diagnostic>>> {
    let arguments = marker::arguments(comment)?.and_then(syntax::parse);
    let grant = match arguments {
        Ok(arguments) => Grant::new(arguments, catalog),
        Err(diagnostic) => Err(vec![diagnostic]),
    };
    Some(grant.and_then(|grant| {
        let diagnostics = check::check(&grant, catalog, options);
        if diagnostics.is_empty() {
            Ok(grant)
        } else {
            Err(diagnostics)
        }
    }))
}
