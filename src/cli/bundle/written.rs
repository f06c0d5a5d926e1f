//! The bundle on disk, by the rules of OLM.

use std::path::Path;

use crate::cli::invocation::Invocation;
use crate::cli::report::findings::{self, counts};
use crate::disk::View;
use crate::error::{Code, Error, Result};
use crate::olm::bundle::name_base;
use crate::olm::read::Directory;
use crate::olm::validate::{Finding, Options, Report, UNKNOWN_FIELD, validate};

/// Checks a bundle, and shows what breaks the rules, in files below `shown`.
///
/// # Errors
/// It breaks a rule.
pub(super) fn validate_written(
    view: &View,
    folder: &str,
    shown: &Path,
    invocation: &Invocation,
) -> Result<()> {
    show(&written(view, folder), shown, invocation)
}

/// As [`validate_written`], for the bundle of a package: names its base, and leaves out the unknown fields that come from
/// there, which the user was told.
pub(super) fn validate_generated(
    view: &View,
    [folder, package]: [&str; 2],
    shown: &Path,
    of_base: &[Finding],
    invocation: &Invocation,
) -> Result<()> {
    let mut report = written(view, folder);
    report.findings.retain(|finding| {
        let is_told = || of_base.iter().any(|of_base| of_base.field == finding.field);
        finding.rule != UNKNOWN_FIELD || !is_told()
    });
    name_base(&mut report, view, folder, package)?;
    show(&report, shown, invocation)
}

fn written(view: &View, folder: &str) -> Report {
    let directory = Directory::new(&view.root().join(folder));
    validate(&directory, &Options::default())
}

fn show(report: &Report, shown: &Path, invocation: &Invocation) -> Result<()> {
    let issues = findings::issues(report, shown);
    invocation.ui.report_issues(&issues);
    if report.passes(false) {
        return Ok(());
    }
    let message = format!("`{}` has {}", shown.display(), counts(report));
    Err(Error::new(Code::InvalidBundle, message)
        .hint("fix the findings above and run the command again"))
}

/// Says that OLM drops a field.
pub(super) fn note_unknown_field(file: &str, field: &Finding, invocation: &Invocation) {
    let line = field.line.unwrap_or(1);
    let Finding { message, hint, .. } = field;
    let note = format!("`{file}:{line}`: {message}; {hint}");
    invocation.ui.note(&note);
}
