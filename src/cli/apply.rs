//! Applies objects to a cluster.

use crate::cluster::{self, Effect, Mode};
use crate::error::Result;
use crate::objects::Objects;

use super::args::target::Reached;
use super::invocation::Invocation;

/// Objects to apply to a cluster.
pub(super) struct Application<'a> {
    pub(super) command: &'a str,
    pub(super) what: &'a str,
    pub(super) objects: &'a Objects,
    pub(super) force_conflicts: bool,
    pub(super) reached: &'a Reached,
    pub(super) invocation: &'a Invocation,
}

/// Applies objects, unless the cluster rejects any or nothing changes. Returns the changes.
pub(super) fn apply(application: &Application<'_>) -> Result<Vec<Effect>> {
    let Application {
        what,
        objects,
        reached,
        invocation,
        ..
    } = application;
    let kubectl = &reached.kubectl;
    let mode = Mode {
        force_conflicts: application.force_conflicts,
    };
    let mut desired = (*objects).clone();
    let mut ending = Vec::new();
    let effects = cluster::live_crds(kubectl, &objects.crds())
        .and_then(|live| {
            cluster::check_retired(kubectl, &live, objects)?;
            ending = cluster::keep_ending_conversions(&live, &mut desired);
            cluster::dry_run(kubectl, &desired, mode)
        })
        .map_err(|e| {
            e.context(format!(
                "the cluster rejected {what}, so nothing was changed"
            ))
        })?;
    if !(invocation.dry_run || effects.is_empty()) {
        let progress = invocation.ui.progress("applying", what, None);
        for crd in &ending {
            cluster::end_conversion(kubectl, crd)?;
        }
        let warnings = cluster::apply(kubectl, objects, mode)
            .map_err(|e| e.context(format!("the cluster rejected {what}")))?;
        drop(progress);
        for warning in warnings {
            invocation
                .ui
                .note(&format!("warning from the API server: {warning}"));
        }
    }
    reached.report(application.command, &effects, invocation)?;
    Ok(effects)
}
