//! Holds a rule against what there is.

mod group;
mod resource;
mod scope;
mod url;
mod verb;

use super::Options;
use super::catalog::Catalog;
use super::grant::Grant;
use super::rule::Rule;
use crate::manifest::marker::Diagnostic;

/// All that a well-formed rule gets wrong.
pub(super) fn check(grant: &Grant, catalog: &Catalog, options: &Options) -> Vec<Diagnostic> {
    let rule = &grant.rule;
    let mut diagnostics = if rule.urls.is_empty() {
        let mut diagnostics = existence(rule, catalog);
        diagnostics.extend(verb::check(rule, catalog));
        diagnostics
    } else {
        url::check(rule)
    };
    diagnostics.extend(scope::check(grant, catalog, options));
    diagnostics
}

/// What the rule is about and does not exist.
pub(super) fn existence(rule: &Rule, catalog: &Catalog) -> Vec<Diagnostic> {
    let mut diagnostics = group::check(rule, catalog);
    diagnostics.extend(resource::check(rule, catalog));
    diagnostics
}

/// How a sentence calls a group.
fn called(group: &str) -> String {
    match group {
        "" => "the core group".to_owned(),
        group => format!("`{group}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::catalog::tests::own_kinds;
    use super::*;
    use crate::manifest::marker;
    use crate::manifest::rbac::tests::options;

    /// What `check` says of the rule in `marker`: message and hint.
    pub(super) fn diagnostics(
        check: fn(&Rule, &Catalog) -> Vec<Diagnostic>,
        marker: &str,
    ) -> Vec<(String, String)> {
        with_grant(marker, |grant, catalog| check(&grant.rule, catalog))
    }

    pub(super) fn with_grant(
        text: &str,
        check: impl Fn(&Grant, &Catalog) -> Vec<Diagnostic>,
    ) -> Vec<(String, String)> {
        let own_kinds = own_kinds();
        let catalog = Catalog::new(&own_kinds);
        let arguments = marker::parse(text).expect(text);
        let grant = Grant::new(arguments, &catalog).expect(text);
        check(&grant, &catalog)
            .into_iter()
            .map(|diagnostic| {
                (
                    diagnostic.message,
                    diagnostic.hint.expect("every diagnostic has a way out"),
                )
            })
            .collect()
    }

    /// Asserts that `check` finds one diagnostic in the rule in `marker`.
    pub(super) fn refused(
        check: fn(&Rule, &Catalog) -> Vec<Diagnostic>,
        marker: &str,
        message: &str,
        hint: &str,
    ) {
        assert_eq!(
            diagnostics(check, marker),
            [(message.into(), hint.into())],
            "{marker}"
        );
    }

    /// Asserts that `check` finds nothing wrong with the rule in `marker`.
    pub(super) fn accepted(check: fn(&Rule, &Catalog) -> Vec<Diagnostic>, marker: &str) {
        assert_eq!(diagnostics(check, marker), [], "{marker}");
    }

    #[test]
    fn every_check_is_made() {
        let options = options(true);
        let count = |text| with_grant(text, |grant, catalog| check(grant, catalog, &options)).len();
        assert_eq!(count("groups=app,resources=a,verbs=get"), 1);
        assert_eq!(count("groups=apps,resources=a,verbs=gett"), 2);
        assert_eq!(count("groups=core,resources=nodes,verbs=gett"), 2);
        assert_eq!(count("urls=metrics,verbs=list"), 3);
        assert_eq!(count("groups=apps,resources=deployments,verbs=get"), 0);
    }
}
