//! What a check of a bundle found.

use std::path::Path;

use serde_json::{Value, json};

use crate::olm::validate::{Finding, Level, Options, Report, VALIDATORS};
use crate::ui::Issue;

/// A file of a bundle as seen from where the command runs.
pub(in crate::cli) fn path(directory: &Path, file: &str) -> String {
    match file {
        "" => directory.display().to_string(),
        file => directory.join(file).display().to_string(),
    }
}

/// How many errors and warnings there are.
pub(in crate::cli) fn counts(report: &Report) -> String {
    let count = |level: Level| match report.count(level) {
        0 => format!("no {level}s"),
        1 => format!("1 {level}"),
        count => format!("{count} {level}s"),
    };
    format!("{} and {}", count(Level::Error), count(Level::Warning))
}

/// For people.
pub(in crate::cli) fn issues(report: &Report, directory: &Path) -> Vec<Issue> {
    let issue = |finding: &Finding| Issue {
        is_error: finding.level == Level::Error,
        rule: finding.rule,
        message: finding.message.clone(),
        file: path(directory, &finding.file),
        line: finding.line,
        field: finding.field.clone(),
        hint: finding.hint.clone(),
    };
    report.findings.iter().map(issue).collect()
}

/// As all of rop's JSON.
pub(in crate::cli) fn json(
    report: &Report,
    directory: &Path,
    options: &Options,
    is_strict: bool,
) -> Value {
    let findings = report.findings.iter().map(|finding| {
        let mut json = json!({ "level": finding.level.to_string() });
        extend(&mut json, finding, directory);
        json["message"] = finding.message.clone().into();
        json
    });
    json!({
        "command": "bundle validate",
        "directory": directory.display().to_string(),
        "validators": options.validators,
        "strict": is_strict,
        "passed": report.passes(is_strict),
        "errors": report.count(Level::Error),
        "warnings": report.count(Level::Warning),
        "rules": report.rules,
        "findings": findings.collect::<Vec<_>>(),
        "notes": report.notes,
    })
}

/// As `operator-sdk bundle validate -o json-alpha1` prints it, with more about each finding.
pub(in crate::cli) fn json_of_operator_sdk(
    report: &Report,
    directory: &Path,
    passed: bool,
) -> Value {
    let output = |finding: &Finding| {
        let level = match finding.level {
            Level::Error => "Error",
            Level::Warning => "Warning",
        };
        let value = match &*finding.value {
            "" => path(directory, &finding.file),
            value => value.to_owned(),
        };
        let message = match &*finding.field {
            "" => format!("{level}: Value {value}: {}", finding.message),
            field => format!("{level}: Field {field}, Value {value}: {}", finding.message),
        };
        let mut json = json!({ "type": finding.level.to_string(), "message": message });
        extend(&mut json, finding, directory);
        json
    };
    let outputs: Vec<_> = report.findings.iter().map(output).collect();
    if outputs.is_empty() {
        json!({ "passed": passed, "outputs": null })
    } else {
        json!({ "passed": passed, "outputs": outputs })
    }
}

fn extend(json: &mut Value, finding: &Finding, directory: &Path) {
    json["rule"] = finding.rule.into();
    json["file"] = path(directory, &finding.file).into();
    json["line"] = finding.line.into();
    json["field"] = finding.field.clone().into();
    json["hint"] = finding.hint.clone().into();
}

/// The optional validators.
pub(in crate::cli) fn validators() -> Value {
    let validators = VALIDATORS.iter().map(|validator| {
        json!({
            "name": validator.name,
            "suite": validator.suite,
            "description": validator.description,
        })
    });
    json!({ "command": "bundle validate --list-optional", "validators": validators.collect::<Vec<_>>() })
}
