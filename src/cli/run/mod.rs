//! `rop run`, and `rop run …`

mod bundle;
mod bundle_args;
mod bundle_upgrade;
mod local;
mod prepared;

use clap::{Args, Subcommand};

use crate::address::CLUSTER;
use crate::cli::help::examples;
use crate::error::Result;

use super::invocation::Invocation;

pub(super) use local::{HostArgs, run as run_local};

/// Build the operator and run it on this machine, or run a bundle with OLM.
///
/// Without a subcommand, the operator runs on this machine against a cluster, which must have the project's current
/// CRDs; install them with `rop install`. Ctrl-C stops the operator, whose exit code becomes that of `rop run`.
#[derive(Debug, Args)]
#[command(after_help = examples(local::EXAMPLES, &[CLUSTER]), args_conflicts_with_subcommands = true)]
pub(super) struct RunArgs {
    #[command(subcommand)]
    command: Option<RunCommand>,
    #[command(flatten)]
    local: HostArgs,
}

#[derive(Debug, Subcommand)]
enum RunCommand {
    Bundle(bundle::BundleArgs),
    BundleUpgrade(bundle_upgrade::BundleUpgradeArgs),
}

pub(super) fn run(args: &RunArgs, invocation: &Invocation) -> Result<()> {
    match &args.command {
        None => run_local(&args.local, invocation),
        Some(RunCommand::Bundle(args)) => bundle::run(args, invocation),
        Some(RunCommand::BundleUpgrade(args)) => bundle_upgrade::run(args, invocation),
    }
}
