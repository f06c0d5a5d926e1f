use clap::Args;

use super::left;
use super::removal::{RemovedEntry, remove_entry};
use crate::address::VERSIONS;
use crate::cli::args::kind::KindArgs;
use crate::cli::help::examples;
use crate::cli::invocation::Invocation;
use crate::error::Result;

const EXAMPLES: &str = "\
Examples:
  rop delete api --group app --kind AppService
  rop delete api --group app --version v1alpha1 --kind AppService     # one version of several
  rop delete api --group app --kind AppService --dry-run";

/// Delete an API: types, CRD, sample, controllers, webhooks, policies, roles and tests.
///
/// `--version` deletes one of several versions. First move the hub and the controller to another version: `rop create
/// api` with `--hub` and `--controller`. For a kind of Kubernetes or another operator, deletes everything that the
/// project has for it.
///
/// Clusters keep the CRD and its objects; the command prints how to delete them.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[VERSIONS]))]
#[command(mut_arg("version", |flag| flag.help("API version [default: all versions]")))]
pub(in crate::cli) struct ApiArgs {
    #[command(flatten)]
    of: KindArgs,

    /// Delete files that you edited, and types that your code uses.
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &ApiArgs, invocation: &Invocation) -> Result<()> {
    remove_entry("delete api", args.force, invocation, |project| {
        let gone = project.remove_api(&args.of.group, args.of.version.as_ref(), &args.of.kind)?;
        let Some(gone) = gone else {
            return Ok(RemovedEntry::default());
        };
        let is_kept = project.same(&gone).is_some();
        Ok(RemovedEntry {
            notes: left::notes(&gone, is_kept),
            types: Some(gone),
        })
    })
}
