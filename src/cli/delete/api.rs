use clap::Args;

use super::left;
use super::take_out::{Taken, take_out};
use crate::cli::args::kind::KindArgs;
use crate::cli::invocation::Invocation;
use crate::error::Result;

const EXAMPLES: &str = "\
Examples:
  rop delete api --group app --kind AppService
  rop delete api --group app --version v1alpha1 --kind AppService     # one version of several
  rop delete api --group app --kind AppService --dry-run";

/// Delete an API: types, CRD, sample, controllers, webhooks, policies, roles and tests.
///
/// With `--version`, one version of a kind that has several. Move the hub and the controller to another version
/// first: `rop create api` with `--hub` and `--controller`. A kind of Kubernetes or of another operator goes with all
/// that the project has for it.
///
/// A cluster keeps the CRD and its objects: the command names them.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("version", |flag| flag.help("The version [default: all]")))]
pub(in crate::cli) struct ApiArgs {
    #[command(flatten)]
    of: KindArgs,

    /// Delete files even if they were edited, and types even if your code uses them.
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &ApiArgs, invocation: &Invocation) -> Result<()> {
    take_out("delete api", args.force, invocation, |project| {
        let gone = project.remove_api(&args.of.group, args.of.version.as_ref(), &args.of.kind)?;
        let Some(gone) = gone else {
            return Ok(Taken::default());
        };
        let is_kept = project.same(&gone).is_some();
        Ok(Taken {
            notes: left::notes(&gone, is_kept),
            types: Some(gone),
        })
    })
}
