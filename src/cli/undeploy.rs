use clap::Args;

use crate::error::Result;

use super::args::operator::{OperatorArgs, leave_foreign};
use super::invocation::Invocation;
use super::remove::{Removal, remove};

const EXAMPLES: &str = "\
Examples:
  rop undeploy
  rop undeploy --keep-crds
  rop undeploy --namespace operators --yes";

/// Delete the operator, its CRDs and all objects of their kinds.
///
/// Webhooks and policies are deleted first, then the CRDs, while the operator can clean up after their
/// objects. If there are objects, it lists how many and refuses without `--yes`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct UndeployArgs {
    /// Keep the CRDs and all objects.
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
