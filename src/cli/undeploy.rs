use clap::Args;

use crate::error::Result;

use super::context::Context;
use super::operator::{OperatorArgs, leave_foreign};
use super::remove::{Removal, remove};

const EXAMPLES: &str = "\
Examples:
  rop undeploy
  rop undeploy --keep-crds
  rop undeploy --namespace operators --yes";

/// Take the operator out of a cluster, with its CRDs and every object of their kinds.
///
/// The CRDs go first, while the operator is there to clean up after their objects. Where there are
/// objects, it says how many and refuses without `--yes`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct UndeployArgs {
    /// Leave the CRDs, and with them all objects.
    #[arg(long)]
    keep_crds: bool,

    #[command(flatten)]
    operator: OperatorArgs,
}

pub(super) fn run(args: &UndeployArgs, context: &Context) -> Result<()> {
    let (kubectl, mut objects) = args.operator.manifests(context)?;
    if args.keep_crds {
        objects = objects.without_crds();
    }
    let target = &args.operator.target;
    let reached = target.reach(kubectl, "remove the operator", context)?;
    leave_foreign(&reached.kubectl, &mut objects, context)?;
    remove(&Removal {
        command: "undeploy",
        objects: &objects,
        reached: &reached,
        target,
        timeout: &args.operator.timeout,
        context,
    })
}
