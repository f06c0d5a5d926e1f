use clap::Args;

use crate::cli::generate::manifests::{self, ManifestsArgs};
use crate::cli::invocation::Invocation;
use crate::error::Result;

const EXAMPLES: &str = "\
Examples:
  rop generate crds";

/// Generate CRDs; same as `rop generate manifests`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct CrdsArgs {}

pub(super) fn run(_args: &CrdsArgs, invocation: &Invocation) -> Result<()> {
    invocation
        .ui
        .note("this command is now `rop generate manifests`");
    manifests::run(&ManifestsArgs::default(), invocation)
}
