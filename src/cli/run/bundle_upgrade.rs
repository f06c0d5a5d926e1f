use clap::Args;

use super::bundle_args::{CommonArgs, Prepared};
use crate::address::CLUSTER;
use crate::cli::applied::Applied;
use crate::cli::help::examples;
use crate::cli::invocation::Invocation;
use crate::error::{Code, Error, Result};
use crate::lifecycle::{Generation, Installed, Served, Subscription};

const EXAMPLES: &str = "\
Examples:
  rop run bundle-upgrade registry.example.com/app-operator-bundle:v0.2.0
  rop run bundle-upgrade bundle --namespace operators";

/// Upgrade an operator that `rop run bundle` installed to another bundle.
///
/// The catalog then has the new bundle as the replacement of the installed one, and OLM upgrades the operator. With
/// `--catalog-image`, the catalog must have an upgrade to the bundle. Waits until the new version is ready; if it does not
/// become ready, reports the conditions of OLM's objects.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[CLUSTER]))]
pub(super) struct BundleUpgradeArgs {
    #[command(flatten)]
    common: CommonArgs,
}

const COMMAND: &str = "run bundle-upgrade";

pub(super) fn run(args: &BundleUpgradeArgs, invocation: &Invocation) -> Result<()> {
    let prepared = args.common.prepare("upgrade to", invocation)?;
    match prepared.generation {
        Generation::V0 => subscribe(args, &prepared, invocation),
        Generation::V1 => {
            let extension = prepared.extension();
            if extension.installed(&prepared.reached.kubectl)?.is_none() {
                return Err(not_installed(&prepared));
            }
            prepared.apply_extension(&extension, &args.common, COMMAND, invocation)
        }
    }
}

fn subscribe(args: &BundleUpgradeArgs, prepared: &Prepared, invocation: &Invocation) -> Result<()> {
    let Prepared {
        reached,
        bundle,
        place,
        content,
        ..
    } = prepared;
    let kubectl = &reached.kubectl;
    let timeout = args.common.timeout.timeout;
    let subscription = Subscription { place, bundle };
    let installed = match subscription.installed(kubectl)? {
        Installed::No => return Err(not_installed(prepared)),
        Installed::Begun | Installed::Done => {
            let applied = Applied::new(reached, invocation);
            applied.wait("for OLM", |say| subscription.wait(kubectl, timeout, say))?;
            return prepared.done(&[], &applied, COMMAND, invocation);
        }
        Installed::Other(name) => name,
    };
    let served = Served::new(place, bundle, content, Some(&installed))?;
    let subscribed = [subscription.object(content, &installed)]
        .into_iter()
        .collect();
    let mut applied = Applied::new(reached, invocation);
    applied.plan(&[&served.server, &served.planned(), &subscribed])?;
    if invocation.dry_run {
        return applied.report(COMMAND);
    }
    prepared.announce(invocation);
    applied.serve(&served, place, timeout)?;
    applied.apply(&subscribed)?;
    let others = applied.wait("for OLM", |say| subscription.wait(kubectl, timeout, say))?;
    served.remove_stale(kubectl, place)?;
    prepared.done(&others, &applied, COMMAND, invocation)
}

fn not_installed(prepared: &Prepared) -> Error {
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
