//! Alerts that watch another project than this one: after a rename, such an alert never fires, or always does.

use std::collections::BTreeSet;

use crate::disk::View;
use crate::error::Result;
use crate::project::Project;

/// The folder of the alerts, which belong to the user.
const ALERTS: &str = "config/prometheus/alerts";

/// What the name of the Service of the metrics ends with, which is their job.
const JOB: &str = "-metrics-service";

/// The files with alerts that select the metrics of another project, each with the names that it has.
///
/// # Errors
/// A file cannot be read.
pub(super) fn of_other_projects(view: &View, project: &Project) -> Result<Vec<String>> {
    let name = project.project_name.to_string();
    // A Service of the user's has the prefix too.
    let is_own_job = |job: &str| job.starts_with(&format!("{name}-"));
    let is_job = |job: &str| job.ends_with(JOB) && !is_own_job(job);
    let selected = [
        ("operator_build_info", "name=\"", name.clone()),
        (
            "leader_election_master_status",
            "name=\"",
            project.lease_name(),
        ),
        ("", "job=\"", format!("{name}{JOB}")),
    ];
    let mut files = Vec::new();
    for path in view.own_files_in(ALERTS)? {
        let text = view.read_own(&path)?.unwrap_or_default();
        let mut reasons = BTreeSet::new();
        for (metric, label, own) in &selected {
            let others = values(&text, metric, label)
                .filter(|value| value != own && (!metric.is_empty() || is_job(value)));
            reasons.extend(
                others.map(|other| {
                    format!("`{}` is not `{own}` of this project", other.escape_debug())
                }),
            );
        }
        if !reasons.is_empty() {
            let reasons: Vec<_> = reasons.into_iter().collect();
            files.push(format!("{path} ({})", reasons.join(", ")));
        }
    }
    Ok(files)
}

/// The values of a label in the selectors of a metric, or of any.
fn values<'a>(text: &'a str, metric: &str, label: &str) -> impl Iterator<Item = &'a str> {
    let start = format!("{metric}{{");
    let ends: Vec<usize> = text
        .match_indices(&start)
        .map(|(at, _)| at + start.len())
        .collect();
    ends.into_iter().filter_map(move |at| {
        let (selector, _) = text[at..].split_once('}')?;
        let is_whole =
            |at: usize| !selector[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let (at, _) = selector
            .match_indices(label)
            .find(|(at, _)| is_whole(*at))?;
        let (value, _) = selector[at + label.len()..].split_once('"')?;
        Some(value)
    })
}
