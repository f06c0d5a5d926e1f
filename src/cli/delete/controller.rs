use clap::Args;

use super::removal::{RemovedEntry, remove_entry};
use crate::cli::args::kind::KindArgs;
use crate::cli::invocation::Invocation;
use crate::error::Result;
use crate::project::name::ControllerName;

const EXAMPLES: &str = "\
Examples:
  rop delete controller --group app --kind AppService
  rop delete controller --group app --kind AppService --controller-name audit
  rop delete controller --group apps --kind Deployment     # a built-in kind";

/// Delete a controller: its code, its tests and its rules in the role.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("version", |flag| flag.help("API version [default: the version that the controller uses]")))]
pub(in crate::cli) struct ControllerArgs {
    #[command(flatten)]
    of: KindArgs,

    /// Name of the controller [default: the first controller of the kind].
    #[arg(long, value_name = "NAME")]
    controller_name: Option<ControllerName>,

    /// Delete files even if you edited them.
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &ControllerArgs, invocation: &Invocation) -> Result<()> {
    remove_entry("delete controller", args.force, invocation, |project| {
        project.remove_controller(
            &args.of.group,
            args.of.version.as_ref(),
            &args.of.kind,
            args.controller_name.as_ref(),
        )?;
        Ok(RemovedEntry::default())
    })
}
