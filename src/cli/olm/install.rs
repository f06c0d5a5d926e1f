use clap::Args;

use super::manifests::ManifestArgs;
use crate::address::OLM;
use crate::cli::applied::Applied;
use crate::cli::args::target::{TargetArgs, TimeoutArgs};
use crate::cli::help::examples;
use crate::cli::invocation::Invocation;
use crate::cluster::{self, Mode};
use crate::error::{Code, Error, Result};
use crate::kubectl::Kubectl;
use crate::lifecycle;

const EXAMPLES: &str = "\
Examples:
  rop olm install crds.yaml olm.yaml
  rop olm install https://mirror.example.com/olm/v0.46.0/olm.yaml --sha256 SUM
  rop olm install operator-controller.yaml --timeout 5m --dry-run";

const COMMAND: &str = "olm install";

/// Install OLM from the manifests of a release.
///
/// Applies the CRDs with server-side apply, waits until their kinds are served, then applies the other objects and waits
/// until the Deployments are ready. Downloads only the URLs that you pass, and compares their checksums
/// before it applies anything.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[OLM]))]
pub(in crate::cli) struct InstallArgs {
    #[command(flatten)]
    manifests: ManifestArgs,

    /// Take over fields owned by other field managers.
    #[arg(long)]
    force_conflicts: bool,

    #[command(flatten)]
    timeout: TimeoutArgs,

    #[command(flatten)]
    target: TargetArgs,
}

pub(super) fn run(args: &InstallArgs, invocation: &Invocation) -> Result<()> {
    let manifests = args.manifests.read(args.timeout.timeout, invocation)?;
    let (custom, plain) = manifests.split();
    let deployments = plain.only(|object| object["kind"] == "Deployment");
    if deployments.is_empty() {
        return Err(Error::new(
            Code::MalformedFile,
            "the manifests have no Deployment, so nothing would run OLM",
        )
        .hint(
            "name all files of the release in one command: `rop olm install crds.yaml olm.yaml`",
        ));
    }
    let kubectl = Kubectl::find(&args.target.target())?.within(args.timeout.timeout);
    let reached = args.target.reach_any(kubectl, "install OLM", invocation)?;
    let kubectl = &reached.kubectl;
    let timeout = args.timeout.timeout;
    let mode = Mode {
        force_conflicts: args.force_conflicts,
    };
    let mut applied = Applied::new(&reached, invocation).with(mode);
    let crds = manifests.objects.crds();
    if cluster::live_crds(kubectl, &crds)?.len() == crds.iter().count() {
        applied.plan(&[&plain, &custom])?;
    } else {
        applied.plan(&[&plain])?;
        applied.expect(&custom);
    }
    if invocation.dry_run {
        return applied.report(COMMAND);
    }
    applied.apply(&crds)?;
    applied.wait("until the CRDs are served", |say| {
        cluster::wait_until_served(kubectl, &crds, timeout, say)
    })?;
    applied.apply(&plain)?;
    applied.apply(&custom)?;
    applied.wait("until OLM is ready", |say| {
        for deployment in deployments.iter() {
            cluster::wait_until_ready(kubectl, deployment, timeout, "rop olm uninstall", say)?;
        }
        lifecycle::wait_for_csvs(kubectl, &custom, timeout, say)
    })?;
    applied.report(COMMAND)?;
    invocation.ui.done("done", "OLM is installed");
    Ok(())
}
