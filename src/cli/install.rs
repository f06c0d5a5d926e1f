use clap::Args;

use crate::cluster;
use crate::error::Result;

use super::apply::{Application, apply};
use super::args::crds::CrdsArgs;
use super::invocation::Invocation;
use crate::address::CLUSTER;
use crate::cli::help::examples;

const EXAMPLES: &str = "\
Examples:
  rop install
  rop install --context kind-test
  rop install --dry-run";

/// Install the project's CRDs.
///
/// Applies `config/crd` with server-side apply and waits until the kinds are served. A dry run comes first:
/// if the API server rejects anything, nothing is changed.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[CLUSTER]))]
pub(super) struct InstallArgs {
    /// Take over fields owned by other field managers.
    #[arg(long)]
    force_conflicts: bool,

    #[command(flatten)]
    crds: CrdsArgs,
}

pub(super) fn run(args: &InstallArgs, invocation: &Invocation) -> Result<()> {
    let (reached, mut crds) = args.crds.reach("install the CRDs", invocation)?;
    for crd in cluster::keep_conversions(&reached.kubectl, &mut crds)? {
        invocation.ui.note(&format!(
            "versions of {crd} are not converted until the operator is deployed: use the storage version, or run \
            `rop deploy`"
        ));
    }
    let effects = apply(&Application {
        command: "install",
        what: "the CRDs",
        objects: &crds,
        force_conflicts: args.force_conflicts,
        reached: &reached,
        invocation,
    })?;
    if invocation.dry_run {
        return Ok(());
    }
    {
        let progress = invocation
            .ui
            .progress("waiting", "until the CRDs are served", None);
        let mut say = |text: &str| progress.say(text);
        let timeout = args.crds.timeout.timeout;
        cluster::wait_until_served(&reached.kubectl, &crds.crds(), timeout, &mut say)?;
    }
    if effects.is_empty() {
        invocation.ui.done("unchanged", "everything is up to date");
    } else {
        invocation.ui.done("done", "the CRDs are served");
    }
    Ok(())
}
