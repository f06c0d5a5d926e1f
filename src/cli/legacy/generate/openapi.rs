use clap::Args;

use crate::cli::generate::manifests::{self, ManifestsArgs};
use crate::cli::invocation::Invocation;
use crate::error::Result;

const EXAMPLES: &str = "\
Examples:
  rop generate openapi";

/// Same as `rop generate manifests`, as operator-sdk before 0.11 calls it.
///
/// The schemas that it wrote as code are made by the derives of the types; they stand in the CRDs.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct OpenapiArgs {}

pub(super) fn run(_args: &OpenapiArgs, invocation: &Invocation) -> Result<()> {
    invocation.ui.note("today this is `rop generate manifests`");
    manifests::run(&ManifestsArgs::default(), invocation)
}
