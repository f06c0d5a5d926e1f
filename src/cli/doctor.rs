use clap::Args;
use serde_json::{Value, json};

use crate::doctor::{self, Finding, State};
use crate::error::{Code, Error, Result};
use crate::project;
use crate::ui::{Entry, Mark};

use super::invocation::{Invocation, working_directory};

const EXAMPLES: &str = "\
Examples:
  rop doctor
  rop doctor --json";

/// Check that this machine has what rop's commands need.
///
/// Looks for the Rust toolchain, a linker, kubectl, the cluster of the current context, container engines, registry
/// logins, a control plane for tests, disk space and git, in a project or anywhere else. Prints what it found and where.
/// If something is missing, prints which commands need it and how to get it. Changes nothing and takes a few seconds.
///
/// Only cargo, rustc and a linker are required: without one of them it exits with 1. Everything else is for some
/// commands.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct DoctorArgs {}

pub(super) fn run(_args: &DoctorArgs, invocation: &Invocation) -> Result<()> {
    let directory = working_directory()?;
    let project = project::find(&directory);
    let directory = project.map_or(directory, |found| found.path);
    let progress = invocation.ui.progress("checking", "this machine", None);
    let findings = doctor::examine(&directory);
    drop(progress);
    let missing: Vec<_> = findings
        .iter()
        .filter(|finding| finding.is_required && !finding.is_usable())
        .map(|finding| finding.name)
        .collect();
    if invocation.json {
        let findings: Vec<_> = findings.iter().map(to_json).collect();
        let report =
            json!({"command": "doctor", "ready": missing.is_empty(), "findings": findings});
        invocation.ui.json(&report)?;
    } else {
        let lines: Vec<_> = findings.iter().flat_map(lines).collect();
        invocation.ui.data_list(&lines)?;
    }
    if missing.is_empty() {
        return Ok(());
    }
    let message = format!("required but not usable: {}", missing.join(", "));
    Err(Error::new(Code::ToolsMissing, message).hint("the hints above say how to get them"))
}

/// The line of a finding, and the hint below it if it is not usable.
fn lines(finding: &Finding) -> Vec<Entry> {
    let Finding {
        name,
        needed_for,
        remedy,
        ..
    } = finding;
    let mark = if finding.is_required {
        Mark::Lost
    } else {
        Mark::Changed
    };
    let problem = |reason: &str| format!("{name}: {reason}; needed for {needed_for}");
    let (mark, word, what) = match &finding.state {
        State::Found { about, place } => (Mark::New, "ok", found(name, about, place)),
        State::Missing(reason) => (mark, "missing", problem(reason)),
        State::Unusable(reason) => (mark, "unusable", problem(reason)),
    };
    let hint = (!finding.is_usable()).then(|| Entry {
        mark,
        word: "hint:",
        what: remedy.clone(),
    });
    [Entry { mark, word, what }]
        .into_iter()
        .chain(hint)
        .collect()
}

/// Such as `kubectl: v1.37.0 (/usr/bin/kubectl)`.
fn found(name: &str, about: &str, place: &str) -> String {
    match (about, place) {
        ("", place) => format!("{name}: {place}"),
        (about, "") => format!("{name}: {about}"),
        (about, place) => format!("{name}: {about} ({place})"),
    }
}

fn to_json(finding: &Finding) -> Value {
    let mut json = json!({
        "name": finding.name,
        "required": finding.is_required,
        "neededFor": finding.needed_for,
    });
    let (state, key, text) = match &finding.state {
        State::Found { about, place } => {
            json["place"] = place.clone().into();
            ("found", "about", about)
        }
        State::Missing(reason) => ("missing", "reason", reason),
        State::Unusable(reason) => ("unusable", "reason", reason),
    };
    json["state"] = state.into();
    json[key] = text.clone().into();
    if !finding.is_usable() {
        json["remedy"] = finding.remedy.clone().into();
    }
    json
}
