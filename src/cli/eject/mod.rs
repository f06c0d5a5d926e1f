//! `rop eject …`

mod runtime;

use clap::Subcommand;

use crate::error::Result;

use super::invocation::Invocation;

/// Take over generated code as your own.
#[derive(Debug, Subcommand)]
#[command(arg_required_else_help = true)]
pub(super) enum EjectCommand {
    Runtime(runtime::RuntimeArgs),
}

pub(super) fn run(command: EjectCommand, invocation: &Invocation) -> Result<()> {
    match command {
        EjectCommand::Runtime(args) => runtime::run(&args, invocation),
    }
}
