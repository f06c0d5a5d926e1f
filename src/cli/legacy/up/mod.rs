//! `rop up …`, as operator-sdk 0.x has it.

mod local;

use clap::Subcommand;

use crate::error::Result;

use crate::cli::invocation::Invocation;

/// Run the operator.
#[derive(Debug, Subcommand)]
#[command(arg_required_else_help = true)]
pub(in crate::cli) enum UpCommand {
    Local(local::LocalArgs),
}

pub(super) fn run(command: UpCommand, invocation: &Invocation) -> Result<()> {
    match command {
        UpCommand::Local(args) => local::run(args, invocation),
    }
}
