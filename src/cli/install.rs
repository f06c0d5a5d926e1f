use clap::Args;

use crate::cluster::{self, Mode};
use crate::error::Result;

use super::context::Context;
use super::target::{NoNamespaceArgs, Reached, TargetArgs, TimeoutArgs, reach_with_crds, warn};

const EXAMPLES: &str = "\
Examples:
  rop install
  rop install --context kind-test
  rop install --dry-run";

/// Put the project's CRDs into a cluster.
///
/// Applies `config/crd` on the side of the server and waits until the kinds are served. The API
/// server is asked first whether it takes all of them: if not, nothing is changed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct InstallArgs {
    /// Take over fields that somebody else set.
    #[arg(long)]
    force_conflicts: bool,

    #[command(flatten)]
    timeout: TimeoutArgs,

    #[command(flatten)]
    target: TargetArgs,

    #[command(flatten)]
    namespace: NoNamespaceArgs,
}

pub(super) fn run(args: &InstallArgs, context: &Context) -> Result<()> {
    args.namespace.report(context);
    let (reached, crds) = reach_with_crds(&args.target, "install the CRDs", context)?;
    let Reached { kubectl, .. } = &reached;
    let mode = Mode {
        force_conflicts: args.force_conflicts,
    };
    let effects = cluster::foresee(kubectl, &crds, mode)
        .map_err(|e| e.context("the cluster refuses the CRDs, so nothing was changed"))?;
    if !(context.dry_run || effects.is_empty()) {
        let progress = context.ui.progress("apply", "the CRDs", None);
        let warnings = cluster::apply(kubectl, &crds, mode)?;
        drop(progress);
        warn(&warnings, context);
    }
    reached.report("install", &effects, context)?;
    if context.dry_run {
        return Ok(());
    }
    {
        let progress = context
            .ui
            .progress("wait", "until the CRDs are served", None);
        let mut say = |text: &str| progress.say(text);
        cluster::wait_until_served(kubectl, &crds.crds(), args.timeout.timeout, &mut say)?;
    }
    match effects.is_empty() {
        true => context.ui.done("done", "everything is there already"),
        false => context.ui.done("done", "the CRDs are served"),
    }
    Ok(())
}
