//! `rop bundle …`

mod validate;

use clap::{Args, Subcommand};

use crate::error::{Code, Error, Result};

use super::invocation::Invocation;

/// Check the bundle of an operator for the Operator Lifecycle Manager.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(super) struct BundleArgs {
    #[command(subcommand)]
    command: Option<BundleCommand>,
}

#[derive(Debug, Subcommand)]
enum BundleCommand {
    Validate(validate::ValidateArgs),
}

pub(super) fn run(args: &BundleArgs, invocation: &Invocation) -> Result<()> {
    match &args.command {
        Some(BundleCommand::Validate(args)) => validate::run(args, invocation),
        None => {
            Err(Error::new(Code::Usage, "`rop bundle` needs a command")
                .hint("see `rop bundle --help`"))
        }
    }
}
