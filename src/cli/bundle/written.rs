//! The bundle on disk, by the rules of OLM.

use crate::cli::invocation::Invocation;
use crate::cli::report::findings::counts;
use crate::disk::View;
use crate::error::{Code, Error, Result};
use crate::olm::read::Directory;
use crate::olm::validate::{Finding, Level, Options, Report, UNKNOWN_FIELD, validate};

/// Checks a bundle, and names the unknown fields that its base does not have.
///
/// # Errors
/// It breaks a rule.
pub(super) fn validate_made(
    view: &View,
    folder: &str,
    of_base: &[Finding],
    invocation: &Invocation,
) -> Result<()> {
    let report = validate_written(view, folder, invocation)?;
    let is_new = |found: &&Finding| {
        found.rule == UNKNOWN_FIELD && of_base.iter().all(|of_base| of_base.field != found.field)
    };
    for field in report.findings.iter().filter(is_new) {
        note_unknown_field(&format!("{folder}/{}", field.file), field, invocation);
    }
    Ok(())
}

/// Says that OLM drops a field.
pub(super) fn note_unknown_field(file: &str, field: &Finding, invocation: &Invocation) {
    let line = field.line.unwrap_or(1);
    let Finding { message, hint, .. } = field;
    let note = format!("`{file}:{line}`: {message}; {hint}");
    invocation.ui.note(&note);
}

/// Checks a bundle.
///
/// # Errors
/// It breaks a rule.
pub(super) fn validate_written(
    view: &View,
    folder: &str,
    invocation: &Invocation,
) -> Result<Report> {
    let directory = Directory::new(&view.root().join(folder));
    let report = validate(&directory, &Options::default());
    let (counts, command) = (counts(&report), format!("`rop bundle validate {folder}`"));
    if report.count(Level::Error) > 0 {
        let message = format!("`{folder}` has {counts}");
        return Err(Error::new(Code::InvalidBundle, message)
            .hint(format!("{command} shows where and how to fix them")));
    }
    if report.count(Level::Warning) > 0 {
        let note = format!("`{folder}` has {counts}: {command} shows them");
        invocation.ui.note(&note);
    }
    Ok(report)
}
