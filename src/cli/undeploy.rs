use clap::Args;

use crate::cluster::Kubectl;
use crate::error::Result;

use super::context::Context;
use super::deploy::{leave_foreign, manifests};
use super::target::{TargetArgs, TimeoutArgs, project_here};
use super::uninstall::{Removal, remove};

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

    /// The namespace that it runs in [default: that of config/default].
    #[arg(long, short)]
    namespace: Option<String>,

    #[command(flatten)]
    timeout: TimeoutArgs,

    #[command(flatten)]
    target: TargetArgs,
}

pub(super) fn run(args: &UndeployArgs, context: &Context) -> Result<()> {
    let root = project_here(context)?;
    let kubectl = Kubectl::find(&args.target.target())?;
    let mut objects = manifests(&root, &kubectl, args.namespace.as_deref())?;
    if args.keep_crds {
        objects = objects.without_crds();
    }
    let reached = args.target.reach(kubectl, "remove the operator", context)?;
    leave_foreign(&reached.kubectl, &mut objects, context)?;
    remove(&Removal {
        command: "undeploy",
        objects: &objects,
        reached: &reached,
        target: &args.target,
        timeout: &args.timeout,
        context,
    })
}
