//! A bundle on its way into a cluster: the steps that installing it and upgrading to it share.

use std::time::Duration;

use crate::cli::applied::Applied;
use crate::cli::args::target::Reached;
use crate::cli::invocation::Invocation;
use crate::error::Result;
use crate::lifecycle::{Bundle, Content, Extension, Generation, Place, Served, Subscription};
use crate::objects::Objects;

/// A bundle, and the cluster that it goes into.
pub(super) struct Prepared<'a> {
    /// The command, for reports.
    pub(super) command: &'static str,
    pub(super) invocation: &'a Invocation,
    pub(super) reached: Reached,
    pub(super) generation: Generation,
    pub(super) bundle: Bundle,
    pub(super) place: Place,
    pub(super) content: Content,
    pub(super) service_account: Option<String>,
    pub(super) timeout: Duration,
}

impl Prepared<'_> {
    /// The Subscription that the bundle is for OLM v0.
    pub(super) fn subscription(&self) -> Subscription<'_> {
        Subscription {
            place: &self.place,
            bundle: &self.bundle,
        }
    }

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

    /// Waits for a bundle that is subscribed to already.
    pub(super) fn resume(&self) -> Result<()> {
        let applied = Applied::new(&self.reached, self.invocation);
        self.wait(&applied)?;
        self.done(&[], &applied)
    }

    /// Installs the bundle with OLM v0: serves its catalog, and subscribes to it, starting with the version of a name.
    pub(super) fn subscribe(&self, group: &Objects, served: &Served, first: &str) -> Result<()> {
        let subscription = self.subscription().object(&self.content, first);
        let subscribed = [subscription].into_iter().collect();
        let mut applied = Applied::new(&self.reached, self.invocation);
        applied.plan(&[group, &served.server, &served.planned(), &subscribed])?;
        if self.invocation.dry_run {
            return applied.report(self.command);
        }
        self.announce();
        applied.apply(group)?;
        applied.serve(served, &self.place, self.timeout)?;
        applied.apply(&subscribed)?;
        let others = self.wait(&applied)?;
        served.remove_stale(&self.reached.kubectl, &self.place)?;
        self.done(&others, &applied)
    }

    /// Installs the bundle with OLM v1.
    pub(super) fn extend(&self, extension: &Extension<'_>) -> Result<()> {
        let objects = extension.objects();
        let mut applied = Applied::new(&self.reached, self.invocation);
        applied.plan(&[&objects])?;
        if self.invocation.dry_run {
            return applied.report(self.command);
        }
        self.announce();
        applied.apply(&objects)?;
        applied.wait("for OLM", |say| {
            extension.wait(&self.reached.kubectl, self.timeout, say)
        })?;
        self.done(&[], &applied)
    }

    /// Waits for OLM v0. Gives what it installed beside the bundle.
    fn wait(&self, applied: &Applied<'_>) -> Result<Vec<String>> {
        applied.wait("for OLM", |say| {
            self.subscription()
                .wait(&self.reached.kubectl, self.timeout, say)
        })
    }

    /// Says what an interruption leaves.
    fn announce(&self) {
        let (package, namespace) = (&self.place.package, &self.place.namespace);
        self.invocation.ui.note(&format!(
            "installing {} with {} in the namespace `{namespace}`; Ctrl-C leaves the objects in the cluster: run the same \
            command again to continue, or `rop cleanup {package} --namespace {namespace}`",
            self.bundle.name,
            self.generation.name()
        ));
    }

    fn done(&self, others: &[String], applied: &Applied<'_>) -> Result<()> {
        let ui = &self.invocation.ui;
        if !others.is_empty() {
            let others = others.join(", ");
            ui.note(&format!("the InstallPlan installed these too: {others}"));
        }
        applied.report(self.command)?;
        ui.done("done", &format!("{} is installed", self.bundle.name));
        if !self.invocation.json {
            let (package, namespace) = (&self.place.package, &self.place.namespace);
            ui.next(&[
                format!("rop run bundle-upgrade BUNDLE --namespace {namespace}"),
                format!("rop cleanup {package} --namespace {namespace}"),
            ]);
        }
        Ok(())
    }
}
