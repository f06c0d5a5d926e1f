use clap::Args;

use crate::error::Result;

use super::args::operator::{OperatorArgs, leave_foreign};
use super::invocation::Invocation;
use super::remove::{Removal, remove};
use crate::address::CLUSTER;
use crate::cli::help::examples;

const EXAMPLES: &str = "\
Examples:
  rop undeploy
  rop undeploy --keep-crds
  rop undeploy --namespace operators --yes";

/// Delete the operator, its CRDs and all objects of their kinds.
///
/// Deletes webhooks and policies first, then the CRDs while the operator can still clean up their objects, then the
/// other objects of `config/default`. If objects of the project's kinds exist, lists their number and requires `--yes`.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[CLUSTER]))]
pub(super) struct UndeployArgs {
    /// Keep the CRDs and all objects of their kinds.
    #[arg(long)]
    keep_crds: bool,

    #[command(flatten)]
    operator: OperatorArgs,
}

pub(super) fn run(args: &UndeployArgs, invocation: &Invocation) -> Result<()> {
    let (kubectl, mut objects) = args.operator.manifests(invocation)?;
    if args.keep_crds {
        objects = objects.without_crds();
    }
    let target = &args.operator.target;
    let reached = target.reach(kubectl, "remove the operator", invocation)?;
    leave_foreign(&reached.kubectl, &mut objects, invocation)?;
    remove(&Removal {
        command: "undeploy",
        objects: &objects,
        reached: &reached,
        target,
        timeout: &args.operator.timeout,
        invocation,
    })
}
