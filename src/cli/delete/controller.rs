use clap::Args;

use super::take_out::{Taken, take_out};
use crate::cli::args::kind::KindArgs;
use crate::cli::invocation::Invocation;
use crate::error::Result;
use crate::project::name::ControllerName;

const EXAMPLES: &str = "\
Examples:
  rop delete controller --group app --kind AppService
  rop delete controller --group app --kind AppService --controller-name audit
  rop delete controller --group apps --kind Deployment     # a kind of Kubernetes";

/// Delete a controller of a kind: its code, its tests and its part of the role.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("version", |flag| flag.help("The version [default: the one that the controller works with]")))]
pub(in crate::cli) struct ControllerArgs {
    #[command(flatten)]
    of: KindArgs,

    /// Which of several [default: the first one, which has the name of the kind].
    #[arg(long, value_name = "NAME")]
    controller_name: Option<ControllerName>,

    /// Delete files even if they were edited.
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &ControllerArgs, invocation: &Invocation) -> Result<()> {
    take_out("delete controller", args.force, invocation, |project| {
        project.remove_controller(
            &args.of.group,
            args.of.version.as_ref(),
            &args.of.kind,
            args.controller_name.as_ref(),
        )?;
        Ok(Taken::default())
    })
}
