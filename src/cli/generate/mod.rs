//! `rop generate …`

mod manifests;

#[cfg(unix)]
pub(super) use manifests::refresh;

use clap::Subcommand;

use crate::error::Result;

use super::context::Context;

/// Generate files from the project's code.
#[derive(Debug, Subcommand)]
#[command(arg_required_else_help = true)]
pub(super) enum GenerateCommand {
    Manifests(manifests::ManifestsArgs),
}

pub(super) fn run(command: GenerateCommand, context: &Context) -> Result<()> {
    match command {
        GenerateCommand::Manifests(args) => manifests::run(&args, context),
    }
}
