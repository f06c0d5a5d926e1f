use clap::{ArgGroup, Args};

use super::take_out::{Taken, take_out};
use crate::cli::invocation::Invocation;
use crate::error::Result;
use crate::project::Policies;
use crate::project::name::{Group, Kind, Version};

const EXAMPLES: &str = "\
Examples:
  rop delete policy --group app --kind AppService --validating
  rop delete policy --group core --kind Pod --mutating      # a kind of Kubernetes";

/// Delete admission policies of a kind: manifests, bindings and tests.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, group = ArgGroup::new("policies").required(true).multiple(true))]
pub(in crate::cli) struct PolicyArgs {
    /// The group, without the project's domain; `core` for Pods and the like.
    #[arg(long)]
    group: Group,

    /// The version [default: the one that has them].
    #[arg(long)]
    version: Option<Version>,

    /// The kind.
    #[arg(long)]
    kind: Kind,

    /// Delete the policy that checks objects.
    #[arg(long, group = "policies")]
    validating: bool,

    /// Delete the policy that completes objects.
    #[arg(long, group = "policies")]
    mutating: bool,

    /// Delete files even if they were edited.
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &PolicyArgs, invocation: &Invocation) -> Result<()> {
    let gone = Policies {
        mutating: args.mutating,
        validating: args.validating,
    };
    take_out("delete policy", args.force, invocation, |project| {
        project.remove_policies(&args.group, args.version.as_ref(), &args.kind, gone)?;
        Ok(Taken::default())
    })
}
