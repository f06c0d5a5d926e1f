use clap::Args;

use super::bundle_args::CommonArgs;
use super::prepared::Prepared;
use crate::address::OLM;
use crate::cli::help::examples;
use crate::cli::invocation::Invocation;
use crate::error::{Code, Error, Result};
use crate::lifecycle::{Generation, Installed, Served};
use crate::objects::Objects;

const EXAMPLES: &str = "\
Examples:
  rop run bundle-upgrade registry.example.com/app-operator-bundle:v0.2.0
  rop run bundle-upgrade bundle --namespace operators";

/// Upgrade an operator that `rop run bundle` installed to another bundle.
///
/// Adds the bundle to the catalog as a replacement of the installed one, so that OLM upgrades the operator. With
/// `--catalog-image`, that catalog must have an upgrade to the bundle. Waits until the new version is ready; if it does not
/// become ready, reports the conditions of OLM's objects.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[OLM]))]
pub(super) struct BundleUpgradeArgs {
    #[command(flatten)]
    common: CommonArgs,
}

const COMMAND: &str = "run bundle-upgrade";

pub(super) fn run(args: &BundleUpgradeArgs, invocation: &Invocation) -> Result<()> {
    let prepared = args.common.prepare(COMMAND, "upgrade to", invocation)?;
    match prepared.generation {
        Generation::V0 => subscribe(&prepared),
        Generation::V1 => {
            let extension = prepared.extension();
            if extension.installed(&prepared.reached.kubectl)?.is_none() {
                return Err(not_installed(&prepared));
            }
            prepared.extend(&extension)
        }
    }
}

fn subscribe(prepared: &Prepared<'_>) -> Result<()> {
    let Prepared { bundle, place, .. } = prepared;
    let installed = prepared
        .subscription()
        .installed(&prepared.reached.kubectl)?;
    match installed {
        Installed::No => Err(not_installed(prepared)),
        Installed::Begun | Installed::Done => prepared.resume(),
        Installed::Other(name) => {
            let served = Served::new(place, bundle, &prepared.content, Some(&name))?;
            prepared.subscribe(&Objects::default(), &served, &name)
        }
    }
}

fn not_installed(prepared: &Prepared<'_>) -> Error {
    let package = &prepared.place.package;
    Error::new(
        Code::PackageNotInstalled,
        format!(
            "`{package}` is not installed by `rop run bundle` in the namespace `{}`",
            prepared.place.namespace
        ),
    )
    .hint("install it with `rop run bundle`, or name its namespace with `--namespace`")
}
