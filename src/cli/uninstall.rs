use clap::Args;

use crate::error::Result;

use super::args::crds::CrdsArgs;
use super::invocation::Invocation;
use super::remove::{Removal, remove};
use crate::address::CLUSTER;
use crate::cli::help::examples;

const EXAMPLES: &str = "\
Examples:
  rop uninstall
  rop uninstall --dry-run
  rop uninstall --yes";

/// Delete the project's CRDs and all objects of their kinds.
///
/// If objects exist, lists their number and requires `--yes`.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[CLUSTER]))]
pub(super) struct UninstallArgs {
    #[command(flatten)]
    crds: CrdsArgs,
}

pub(super) fn run(args: &UninstallArgs, invocation: &Invocation) -> Result<()> {
    let (reached, crds) = args.crds.reach("remove the CRDs", invocation)?;
    remove(&Removal {
        command: "uninstall",
        objects: &crds,
        reached: &reached,
        target: &args.crds.target,
        timeout: &args.crds.timeout,
        invocation,
    })
}
