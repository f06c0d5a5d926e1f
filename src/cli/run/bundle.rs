use clap::Args;

use super::bundle_args::CommonArgs;
use super::prepared::Prepared;
use crate::address::OLM;
use crate::cli::help::examples;
use crate::cli::invocation::Invocation;
use crate::error::{Code, Error, Result};
use crate::lifecycle::{Generation, InstallMode, Installed, Served};

const EXAMPLES: &str = "\
Examples:
  rop run bundle registry.example.com/app-operator-bundle:v0.1.0
  rop run bundle bundle --namespace operators
  rop run bundle bundle --install-mode SingleNamespace=apps --timeout 5m
  rop run bundle bundle --olm v1 --catalog-image registry.example.com/app-catalog:v0.1.0";

/// Install a bundle with OLM, and wait until the operator is ready.
///
/// Without `--install-mode`, the operator watches all namespaces, or only its own if the bundle does not support that.
///
/// For OLM v0, a pod with opm serves a catalog with only this bundle; a Subscription installs it, and rop approves its
/// `InstallPlan`. For a bundle directory, the catalog contains the manifests, so no registry is needed. For
/// OLM v1, a `ClusterExtension` installs it from `--catalog-image`. If the operator does not become ready, reports
/// the conditions of OLM's objects. `rop cleanup` removes all objects.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[OLM]))]
pub(super) struct BundleArgs {
    /// Install mode, such as `OwnNamespace` or `SingleNamespace=apps`.
    #[arg(long, value_name = "MODE")]
    install_mode: Option<InstallMode>,

    #[command(flatten)]
    common: CommonArgs,
}

const COMMAND: &str = "run bundle";

pub(super) fn run(args: &BundleArgs, invocation: &Invocation) -> Result<()> {
    let prepared = args.common.prepare(COMMAND, "install", invocation)?;
    match prepared.generation {
        Generation::V0 => subscribe(args, &prepared),
        Generation::V1 => extend(args, &prepared),
    }
}

fn subscribe(args: &BundleArgs, prepared: &Prepared<'_>) -> Result<()> {
    let Prepared { bundle, place, .. } = prepared;
    let kubectl = &prepared.reached.kubectl;
    let mode = InstallMode::choose(bundle, args.install_mode.clone())?;
    let group = mode.group(kubectl, place)?.into_iter().collect();
    let served = Served::new(place, bundle, &prepared.content, None)?;
    match prepared.subscription().installed(kubectl)? {
        Installed::Other(name) => Err(installed(&name, &place.package)),
        Installed::Done if served.is_current(kubectl, place)? => prepared.resume(),
        Installed::Done => Err(differs(prepared)),
        Installed::No | Installed::Begun => prepared.subscribe(&group, &served, &bundle.name),
    }
}

fn extend(args: &BundleArgs, prepared: &Prepared<'_>) -> Result<()> {
    let mut mode = args.install_mode.iter();
    if mode.any(|mode| *mode != InstallMode::All) {
        return Err(Error::new(
            Code::UnsupportedInstallMode,
            "OLM v1 installs for all namespaces only",
        )
        .hint("leave out `--install-mode`"));
    }
    let extension = prepared.extension();
    if let Some(version) = extension.installed(&prepared.reached.kubectl)?
        && version != prepared.bundle.version
    {
        return Err(installed(&version, &prepared.place.package));
    }
    prepared.extend(&extension)
}

fn installed(version: &str, package: &str) -> Error {
    Error::new(
        Code::OlmConflict,
        format!("`{package}` is installed already, as {version}"),
    )
    .hint(format!(
        "upgrade it with `rop run bundle-upgrade`, or remove it with `rop cleanup {package}`"
    ))
}

/// Another bundle has the same name, and OLM does not install it over the first.
fn differs(prepared: &Prepared<'_>) -> Error {
    let (name, package) = (&prepared.bundle.name, &prepared.place.package);
    Error::new(
        Code::OlmConflict,
        format!("another bundle is installed as {name}, with other content"),
    )
    .hint(format!(
        "give the bundle a new version and use `rop run bundle-upgrade`, or remove the installed one with `rop cleanup \
        {package}`"
    ))
}
