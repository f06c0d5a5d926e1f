//! `rop bundle`, and `rop bundle …`

mod build;
pub(super) mod generate;
mod parts;
mod render;
mod validate;
mod written;

use clap::{Args, Subcommand};

use crate::error::Result;

use super::invocation::Invocation;

/// Generate, validate, render or build an OLM bundle.
///
/// Renders `config/default` in memory, and merges the result into the `ClusterServiceVersion` base in
/// `config/manifests/bases/`, which you edit. Your edits in the bundle are merged with later changes. No cluster is
/// contacted. The CRDs are those in `config/`: `rop check` also compares them with the types.
#[derive(Debug, Args)]
#[command(after_help = generate::EXAMPLES, args_conflicts_with_subcommands = true)]
pub(super) struct BundleArgs {
    #[command(subcommand)]
    command: Option<BundleCommand>,
    #[command(flatten)]
    generate: generate::GenerateArgs,
}

#[derive(Debug, Subcommand)]
enum BundleCommand {
    Validate(validate::ValidateArgs),
    Render(render::RenderArgs),
    Build(build::BuildArgs),
}

pub(super) fn run(args: BundleArgs, invocation: &Invocation) -> Result<()> {
    match args.command {
        None => generate::run(&args.generate, invocation),
        Some(BundleCommand::Validate(args)) => validate::run(&args, invocation),
        Some(BundleCommand::Render(args)) => render::run(&args, invocation),
        Some(BundleCommand::Build(args)) => build::run(args, invocation),
    }
}
