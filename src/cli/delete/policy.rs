use clap::{ArgGroup, Args};

use super::removal::{RemovedEntry, remove_entry};
use crate::cli::args::kind::KindArgs;
use crate::cli::invocation::Invocation;
use crate::error::Result;
use crate::project::Policies;

const EXAMPLES: &str = "\
Examples:
  rop delete policy --group app --kind AppService --validating
  rop delete policy --group core --kind Pod --mutating      # a built-in kind";

/// Delete admission policies of a kind: manifests, bindings and tests.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, group = ArgGroup::new("policies").required(true).multiple(true))]
#[command(mut_arg("version", |flag| flag.help("API version [default: the version that has the policies]")))]
pub(in crate::cli) struct PolicyArgs {
    #[command(flatten)]
    of: KindArgs,

    /// Delete the validating policy.
    #[arg(long, group = "policies")]
    validating: bool,

    /// Delete the mutating policy.
    #[arg(long, group = "policies")]
    mutating: bool,

    /// Delete files even if you edited them.
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &PolicyArgs, invocation: &Invocation) -> Result<()> {
    let gone = Policies {
        mutating: args.mutating,
        validating: args.validating,
    };
    remove_entry("delete policy", args.force, invocation, |project| {
        project.remove_policies(
            &args.of.group,
            args.of.version.as_ref(),
            &args.of.kind,
            gone,
        )?;
        Ok(RemovedEntry::default())
    })
}
