use clap::Args;

use crate::address::METRICS;
use crate::cli::help::examples;
use crate::cli::invocation::{Invocation, Opened, Transition};
use crate::error::Result;
use crate::output::{Manifests, Monitoring, Output};
use crate::project::layout::DEFAULT_KUSTOMIZATION;
use crate::scaffold;

use super::check::{Check, Drift, access};
use super::recorded;

const EXAMPLES: &str = "\
Examples:
  rop generate monitoring
  rop generate monitoring --check";

const CHECK: Check<'_> = Check {
    command: "generate monitoring --check",
    fine: "dashboards and alerts are up to date",
    drift: "dashboards or alerts are out of date",
    hint: "run `rop generate monitoring` and commit the result",
};

/// What to do about alerts that belong to the user.
const BY_HAND: &str = "write this project's names into the alerts, or move alerts about another operator to a directory of \
                       their own";

/// Generate Grafana dashboards and Prometheus alerts.
///
/// `config/grafana` has a dashboard for the controllers, one for the process and the election, and one for each kind with
/// a controller. Another shows your own metrics: list them in `config/grafana/metrics.yaml`. The alerts are in
/// `config/prometheus/alerts/rules.yaml`, which is yours to edit. Both directories are kustomize components,
/// which values enable in the Helm chart. Other commands keep the dashboards up to date.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[METRICS]))]
pub(in crate::cli) struct MonitoringArgs {
    /// Write nothing; print differences and exit with 3 if there are any.
    #[arg(long)]
    check: bool,

    /// Overwrite files that conflict.
    #[arg(long, conflicts_with = "check")]
    force: bool,
}

pub(super) fn run(args: &MonitoringArgs, invocation: &Invocation) -> Result<()> {
    let Opened { entered, root } = invocation.open(access(args.check))?;
    let view = &entered.view;
    scaffold::check_templates(view, &root.project)?;
    let after = Monitoring.tree(&Manifests::on_disk(&root.project, view))?;
    let is_new = !Monitoring.is_in(view);
    let (before, after) = if args.check {
        let written = Monitoring.generated(view, &root.project)?;
        recorded::change(view, is_new, written, after)?
    } else {
        recorded::change_of_manifests(view, &root.project, &Monitoring, &after)?
    };
    let change = Transition {
        command: "generate monitoring",
        view,
        before,
        after,
        force: args.force,
    };
    let more = Monitoring.outdated(view, &root.project)?;
    if args.check {
        let drift = Drift::of(&change)?;
        let by_hand = Check {
            hint: BY_HAND,
            ..CHECK
        };
        let words = if drift.is_empty() { by_hand } else { CHECK };
        return Drift { more, ..drift }.report(&words, invocation);
    }
    for file in more {
        let note = format!("alerts of another project in {file}: {BY_HAND}");
        invocation.ui.note(&note);
    }
    invocation.carry_out(&change)?;
    if is_new {
        invocation.ui.note(&format!(
            "to deploy them, add `../grafana`, `../prometheus` and `../prometheus/alerts` to `components:` in \
             {DEFAULT_KUSTOMIZATION}"
        ));
    }
    Ok(())
}
