use clap::Args;

use super::bundle_args::{CommonArgs, Prepared};
use crate::address::CLUSTER;
use crate::cli::applied::Applied;
use crate::cli::help::examples;
use crate::cli::invocation::Invocation;
use crate::error::{Code, Error, Result};
use crate::lifecycle::{
    Content, Extension, Generation, InstallMode, Installed, Served, Subscription,
};

const EXAMPLES: &str = "\
Examples:
  rop run bundle registry.example.com/app-operator-bundle:v0.1.0
  rop run bundle bundle --namespace operators
  rop run bundle bundle --install-mode SingleNamespace=apps --timeout 5m
  rop run bundle bundle --olm v1 --catalog-image registry.example.com/app-catalog:v0.1.0";

/// Install a bundle with OLM, and wait until the operator is ready.
///
/// Without `--install-mode`, the operator watches all namespaces, or else its own, as the bundle supports it.
///
/// For OLM v0, a pod with opm serves a catalog that has this bundle alone; a Subscription installs it, and rop approves its
/// `InstallPlan`. With the directory of a bundle, its manifests are in that catalog, so that no registry is needed. For
/// OLM v1, a `ClusterExtension` installs it from `--catalog-image`. If the operator does not become ready, reports
/// the conditions of OLM's objects. `rop cleanup` removes all objects.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[CLUSTER]))]
pub(super) struct BundleArgs {
    /// Install mode, such as `OwnNamespace` or `SingleNamespace=apps`.
    #[arg(long, value_name = "MODE")]
    install_mode: Option<InstallMode>,

    #[command(flatten)]
    common: CommonArgs,
}

const COMMAND: &str = "run bundle";

pub(super) fn run(args: &BundleArgs, invocation: &Invocation) -> Result<()> {
    let prepared = args.common.prepare("install", invocation)?;
    match prepared.generation {
        Generation::V0 => subscribe(args, &prepared, invocation),
        Generation::V1 => extend(args, &prepared, invocation),
    }
}

fn subscribe(args: &BundleArgs, prepared: &Prepared, invocation: &Invocation) -> Result<()> {
    let Prepared {
        reached,
        bundle,
        place,
        content,
        ..
    } = prepared;
    let kubectl = &reached.kubectl;
    let timeout = args.common.timeout.timeout;
    let mode = InstallMode::choose(bundle, args.install_mode.clone())?;
    let subscription = Subscription { place, bundle };
    let group = mode.group(kubectl, place)?.into_iter().collect();
    let served = Served::new(place, bundle, content, None)?;
    match subscription.installed(kubectl)? {
        Installed::Other(name) => return Err(installed(&name, &place.package)),
        Installed::Done if served.is_current(kubectl, place)? => {
            let applied = Applied::new(reached, invocation);
            applied.wait("for OLM", |say| subscription.wait(kubectl, timeout, say))?;
            return prepared.done(&[], &applied, COMMAND, invocation);
        }
        Installed::Done => return Err(differs(prepared)),
        Installed::No | Installed::Begun => {}
    }
    let subscribed = [subscription.object(content, &bundle.name)]
        .into_iter()
        .collect();
    let mut applied = Applied::new(reached, invocation);
    applied.plan(&[&group, &served.server, &served.planned(), &subscribed])?;
    if invocation.dry_run {
        return applied.report(COMMAND);
    }
    prepared.announce(invocation);
    applied.apply(&group)?;
    applied.serve(&served, place, timeout)?;
    applied.apply(&subscribed)?;
    let others = applied.wait("for OLM", |say| subscription.wait(kubectl, timeout, say))?;
    prepared.done(&others, &applied, COMMAND, invocation)
}

fn extend(args: &BundleArgs, prepared: &Prepared, invocation: &Invocation) -> Result<()> {
    if args
        .install_mode
        .as_ref()
        .is_some_and(|mode| *mode != InstallMode::All)
    {
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
    prepared.apply_extension(&extension, &args.common, COMMAND, invocation)
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
fn differs(prepared: &Prepared) -> Error {
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

impl Prepared {
    /// The extension that the bundle is for OLM v1.
    pub(super) fn extension(&self) -> Extension<'_> {
        let (Content::Pod(catalog) | Content::Image(catalog)) = &self.content;
        Extension {
            place: &self.place,
            bundle: &self.bundle,
            catalog,
            service_account: self.service_account.as_deref(),
        }
    }

    pub(super) fn apply_extension(
        &self,
        extension: &Extension<'_>,
        args: &CommonArgs,
        command: &str,
        invocation: &Invocation,
    ) -> Result<()> {
        let kubectl = &self.reached.kubectl;
        let objects = extension.objects();
        let mut applied = Applied::new(&self.reached, invocation);
        applied.plan(&[&objects])?;
        if invocation.dry_run {
            return applied.report(command);
        }
        self.announce(invocation);
        applied.apply(&objects)?;
        applied.wait("for OLM", |say| {
            extension.wait(kubectl, args.timeout.timeout, say)
        })?;
        self.done(&[], &applied, command, invocation)
    }

    /// Says what an interruption leaves.
    pub(super) fn announce(&self, invocation: &Invocation) {
        let (package, namespace) = (&self.place.package, &self.place.namespace);
        invocation.ui.note(&format!(
            "installing {} with {} in the namespace `{namespace}`; Ctrl-C leaves the objects in the cluster: run the same \
            command again to continue, or `rop cleanup {package} --namespace {namespace}`",
            self.bundle.name,
            self.generation.name()
        ));
    }

    pub(super) fn done(
        &self,
        others: &[String],
        applied: &Applied<'_>,
        command: &str,
        invocation: &Invocation,
    ) -> Result<()> {
        if !others.is_empty() {
            let others = others.join(", ");
            invocation
                .ui
                .note(&format!("the InstallPlan installed these too: {others}"));
        }
        applied.report(command)?;
        invocation
            .ui
            .done("done", &format!("{} is installed", self.bundle.name));
        if !invocation.json {
            let Self { place, .. } = self;
            let (package, namespace) = (&place.package, &place.namespace);
            invocation.ui.next(&[
                format!("rop run bundle-upgrade BUNDLE --namespace {namespace}"),
                format!("rop cleanup {package} --namespace {namespace}"),
            ]);
        }
        Ok(())
    }
}
