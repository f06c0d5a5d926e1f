//! `rop generate kustomize …`

mod manifests;

use clap::Subcommand;

use crate::cli::invocation::Invocation;
use crate::error::Result;

/// Generate the base of an OLM bundle.
#[derive(Debug, Subcommand)]
#[command(arg_required_else_help = true)]
pub(in crate::cli) enum KustomizeCommand {
    Manifests(manifests::ManifestsArgs),
}

pub(super) fn run(command: &KustomizeCommand, invocation: &Invocation) -> Result<()> {
    match command {
        KustomizeCommand::Manifests(args) => manifests::run(args, invocation),
    }
}
