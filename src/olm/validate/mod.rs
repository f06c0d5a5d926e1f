//! Validates bundles, also those of other tools, by one table of rules.

mod examples;
mod input;
mod options;
mod report;
mod rule;
mod rules;
mod selector;
mod suite;
mod version;

pub use options::{Index, Options};
pub use report::{Finding, Report};
pub use rule::Rule;
pub use selector::{Selector, VALIDATORS, Validator};
pub use suite::{Level, Suite};

pub(super) use examples::{Example, annotation, examples, malformed};
pub(super) use input::{Gvk, Input, defined, described_gvk, name};
pub(super) use report::Findings;

use super::read::{Bundle, Node, Source};

/// The rule for fields that OLM does not know.
pub const UNKNOWN_FIELD: &str = rules::UNKNOWN_FIELD.id;

/// All rules, in the order in which they are checked.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    rules::ALL.iter().copied().flatten()
}

/// Checks the bundle of a directory, or of files in memory.
pub fn validate(source: &dyn Source, options: &Options) -> Report {
    check(&Bundle::read(source), options)
}

/// The unknown fields of a `ClusterServiceVersion`, or of a part of one.
pub(super) fn unknown_fields(csv: &Node<'_>) -> Vec<Finding> {
    let (rule, mut findings) = (rules::UNKNOWN_FIELD, Vec::new());
    let mut found = Findings::new(rule.id, rule.level, rule.hint, &mut findings);
    rules::unknown_fields(csv, &mut found);
    findings
}

/// Checks a bundle that was read.
pub fn check(bundle: &Bundle, options: &Options) -> Report {
    let input = Input { bundle, options };
    let mut report = Report::default();
    for rule in rules().filter(|rule| options.runs(rule.suite)) {
        let findings = &mut report.findings;
        let mut found = Findings::new(rule.id, rule.level, rule.hint, findings);
        (rule.check)(&input, &mut found);
        report.rules += 1;
    }
    if options.runs(Suite::MultiArch) {
        report.notes.push(
            "`multiarch` does not inspect images, which needs a registry: only the labels and node affinities \
                of the CSV were checked"
                .to_owned(),
        );
    }
    report.sort();
    report
}
