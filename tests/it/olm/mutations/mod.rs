//! A valid bundle with one flaw for each rule: with the place that is found, the message and the hint in a snapshot.

mod catalogs;
mod content;
mod csv;
mod files;

use std::collections::BTreeSet;

use rop::olm::validate::{Level, rules};

pub(super) use content::noise;

use super::bundle::Bundle;

/// What the tools say to a flaw: `operator-verify` of operator-framework/api v0.34.0, its validators where that program
/// does not run them, and the checks of format and content of operator-registry v1.59.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It cannot load the bundle.
    Fatal,
    Error,
    Warning,
    /// It has nothing to say.
    Passes,
    /// It has no such rule.
    Unknown,
}

use Verdict::{Error, Fatal, Passes, Unknown, Warning};

/// A rule, what the tools say, and what breaks it.
pub(super) type Row = (&'static str, Verdict, fn(&mut Bundle));

/// Those that need a directory on disk, which tests of the command have.
const ON_DISK: [&str; 2] = ["bundle-directory", "unreadable-file"];

pub(super) fn rows() -> impl Iterator<Item = Row> {
    let tables = [
        files::LOADING,
        files::FORMAT,
        csv::CSVS,
        content::CONTENT,
        catalogs::CATALOGS,
        csv::OLM_V1,
    ];
    tables.into_iter().flatten().copied()
}

#[test]
fn a_valid_bundle_has_no_findings() {
    let report = Bundle::valid().check();
    let rules: Vec<_> = report.findings.iter().map(|it| it.rule).collect();
    assert_eq!(rules, ["operatorhub-deprecated"], "{report:#?}");
}

#[test]
fn each_rule_has_a_mutation() {
    let with: BTreeSet<_> = rows().map(|(rule, _, _)| rule).collect();
    let all: BTreeSet<_> = rules().map(|rule| rule.id).collect();
    assert_eq!(with, all);
    assert_eq!(rows().count(), rules().count());
}

/// Each flaw is found by its rule, and the valid bundle has none: without the rule a row fails.
#[test]
fn each_rule_finds_its_mutation() {
    let mut lines = Vec::new();
    for (rule, _, change) in rows().filter(|(rule, _, _)| !ON_DISK.contains(rule)) {
        let mut bundle = Bundle::valid();
        change(&mut bundle);
        let found = bundle.found(rule);
        assert!(!found.is_empty(), "{rule}: {:#?}", bundle.check().findings);
        for finding in found {
            let level = rules().find(|it| it.id == rule).map(|it| it.level);
            assert_eq!(Some(finding.level), level, "{rule}");
            let line = finding.line.map(|line| format!(":{line}"));
            lines.push(format!(
                "{}[{rule}] {}{} {}\n  {}\n  {}",
                finding.level,
                finding.file,
                line.unwrap_or_default(),
                finding.field,
                finding.message,
                finding.hint
            ));
        }
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!("bundle-rules", lines.join("\n")));
}

/// A level is stricter than that of the tools only where they are known to be wrong, and never more lenient.
#[test]
fn levels_are_those_of_the_tools() {
    let levels = |id: &str| rules().find(|rule| rule.id == id).map(|rule| rule.level);
    for (rule, verdict, _) in rows() {
        let expected = match verdict {
            Fatal | Error => Level::Error,
            Warning => Level::Warning,
            Passes | Unknown => continue,
        };
        // The other rules that such a bundle breaks are errors.
        let is_empty_bundle = rule == "bundle-size-zero";
        assert!(levels(rule) == Some(expected) || is_empty_bundle, "{rule}");
    }
}
