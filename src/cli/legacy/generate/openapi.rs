use clap::Args;

use crate::cli::generate::manifests::{self, ManifestsArgs};
use crate::cli::invocation::Invocation;
use crate::error::Result;

const EXAMPLES: &str = "\
Examples:
  rop generate openapi";

/// Generate schemas; same as `rop generate manifests`.
///
/// The schemas are part of the CRDs.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct OpenapiArgs {}

pub(super) fn run(_args: &OpenapiArgs, invocation: &Invocation) -> Result<()> {
    invocation
        .ui
        .note("this command is now `rop generate manifests`");
    manifests::run(&ManifestsArgs::default(), invocation)
}
