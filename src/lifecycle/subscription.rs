//! Installation by OLM v0: a Subscription, the `InstallPlan` that OLM makes for it, and the `ClusterServiceVersion` of that.

use std::time::Duration;

use serde_json::{Value, json};

use crate::cluster::{Look, Say, humane, until};
use crate::error::{Code, Error, Result};
use crate::kubectl::Kubectl;
use crate::objects::name;

use super::bundle::{Bundle, CHANNEL, Content};
use super::csv;
use super::live::{self, items, text};
use super::names::{CSVS, INSTALL_PLANS, Place, SUBSCRIPTIONS};
use super::progress;

/// What a Subscription in the cluster is to a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Installed {
    /// The package has none.
    No,
    /// It is for this bundle, which is not installed yet: an earlier run was interrupted.
    Begun,
    /// It has this bundle, or one with the same `ClusterServiceVersion`.
    Done,
    /// It has another `ClusterServiceVersion`.
    Other(String),
}

/// A Subscription to a package in the catalog that rop made for it.
#[derive(Debug)]
pub(crate) struct Subscription<'a> {
    pub(crate) place: &'a Place,
    pub(crate) bundle: &'a Bundle,
}

impl Subscription<'_> {
    /// What the package has in its namespace.
    ///
    /// # Errors
    /// It has a Subscription that rop did not make, or the Subscription's name is taken.
    pub(crate) fn installed(&self, kubectl: &Kubectl) -> Result<Installed> {
        let Place { package, namespace } = self.place;
        let all = live::list(kubectl, SUBSCRIPTIONS, namespace)?;
        let foreign = all.iter().find(|it| {
            !self.place.owns(it) && (it["spec"]["name"] == **package || name(it) == package)
        });
        if let Some(foreign) = foreign {
            let source = text(foreign, "/spec/source");
            return Err(live::error(
                Code::OlmConflict,
                &format!(
                    "the namespace `{namespace}` already has the Subscription `{}`, to the package `{}` of the catalog \
                    `{source}`",
                    name(foreign),
                    text(foreign, "/spec/name")
                ),
            )
            .hint(format!(
                "remove it with `rop cleanup {package} --namespace {namespace}`, or use another namespace with \
                `--namespace`"
            )));
        }
        let Some(own) = all.iter().find(|it| self.place.owns(it)) else {
            return Ok(Installed::No);
        };
        let installed = text(own, "/status/installedCSV");
        let starting = text(own, "/spec/startingCSV");
        Ok(match (installed, starting) {
            ("", starting) if starting == self.bundle.name => Installed::Begun,
            ("", other) => Installed::Other(other.to_owned()),
            (installed, _) if installed == self.bundle.name => Installed::Done,
            (other, _) => Installed::Other(other.to_owned()),
        })
    }

    /// The Subscription, which starts with a `ClusterServiceVersion`.
    pub(crate) fn object(&self, content: &Content, starting: &str) -> Value {
        let place = self.place;
        let mut object = json!({
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "Subscription",
            "metadata": place.metadata(&place.package),
            "spec": {
                "name": place.package,
                "source": place.catalog(),
                "sourceNamespace": place.namespace,
                // Else OLM would install what other catalogs have of this package later.
                "installPlanApproval": "Manual",
                "startingCSV": starting,
            },
        });
        if let Content::Pod(_) = content {
            object["spec"]["channel"] = CHANNEL.into();
        }
        object
    }

    /// Waits until OLM has installed the bundle, and approves its `InstallPlan` meanwhile. Gives what else that plan
    /// installs.
    ///
    /// # Errors
    /// OLM gives up, or does not install it in time: what its objects say is the cause.
    pub(crate) fn wait(
        &self,
        kubectl: &Kubectl,
        timeout: Duration,
        say: Say<'_>,
    ) -> Result<Vec<String>> {
        let mut others = Vec::new();
        let plan = until(timeout, &mut *say, || self.approve(kubectl, &mut others))?;
        plan.map_err(|state| self.late(&state, timeout))??;
        let csv = until(timeout, say, || self.succeeds(kubectl))?;
        csv.map_err(|state| self.late(&state, timeout))??;
        Ok(others)
    }

    /// Looks for the `InstallPlan`, approves it, and looks how far it is.
    fn approve(&self, kubectl: &Kubectl, others: &mut Vec<String>) -> Result<Look<Result<()>>> {
        let Place { package, namespace } = self.place;
        let subscription = live::get(kubectl, SUBSCRIPTIONS, Some(namespace), package)?;
        if subscription.is_null() {
            let error = Error::new(
                Code::OlmInstallFailed,
                "the Subscription was deleted meanwhile",
            );
            return Ok(Look::Done(Err(error)));
        }
        if text(&subscription, "/status/installedCSV") == self.bundle.name {
            return Ok(Look::Done(Ok(())));
        }
        let waiting = progress::subscription(&subscription);
        let reference = text(&subscription, "/status/installPlanRef/name");
        if reference.is_empty() {
            return Ok(Look::NotYet(waiting));
        }
        let plan = live::get(kubectl, INSTALL_PLANS, Some(namespace), reference)?;
        let names = items(&plan, "/spec/clusterServiceVersionNames").filter_map(Value::as_str);
        let names: Vec<_> = names.map(str::to_owned).collect();
        if !names.contains(&self.bundle.name) {
            return Ok(Look::NotYet(waiting));
        }
        match text(&plan, "/status/phase") {
            "Complete" => Ok(Look::Done(Ok(()))),
            "Failed" => Ok(Look::Done(Err(self.failed(&progress::plan(&plan))))),
            _ if plan["spec"]["approved"] != true => {
                *others = names;
                others.retain(|name| *name != self.bundle.name);
                let patch = json!({ "spec": { "approved": true } }).to_string();
                let patch = [
                    "patch",
                    INSTALL_PLANS,
                    "-n",
                    namespace,
                    "--type=merge",
                    "-p",
                    &patch,
                ];
                kubectl.text(&[&patch[..], &["--", reference]].concat(), None)?;
                Ok(Look::NotYet(format!("InstallPlan {reference}: approved")))
            }
            _ => Ok(Look::NotYet(progress::plan(&plan))),
        }
    }

    /// Looks how far the `ClusterServiceVersion` is.
    fn succeeds(&self, kubectl: &Kubectl) -> Result<Look<Result<()>>> {
        let csv = live::get(
            kubectl,
            CSVS,
            Some(&self.place.namespace),
            &self.bundle.name,
        )?;
        Ok(match text(&csv, "/status/phase") {
            "Succeeded" => Look::Done(Ok(())),
            // OLM tries again what failed for a reason that may pass.
            "Failed" if csv::is_final(&csv) => {
                Look::Done(Err(self.failed(&progress::csv(&self.bundle.name, &csv))))
            }
            _ => Look::NotYet(progress::csv(&self.bundle.name, &csv)),
        })
    }

    fn failed(&self, state: &str) -> Error {
        self.explained(
            live::error(Code::OlmInstallFailed, state)
                .context(format!("OLM failed to install {}", self.bundle.name)),
        )
    }

    fn late(&self, state: &str, timeout: Duration) -> Error {
        self.explained(live::error(Code::OlmInstallFailed, state).context(format!(
            "{} is not installed after {}",
            self.bundle.name,
            humane(timeout)
        )))
        .hint("or wait longer with `--timeout`")
    }

    fn explained(&self, error: Error) -> Error {
        let Place { package, namespace } = self.place;
        error
            .hint(format!(
                "see `kubectl describe subscription.operators.coreos.com,installplan,csv -n {namespace}`"
            ))
            .hint(format!(
                "the objects remain: fix the cause and run the command again, or remove them with `rop cleanup {package} \
                --namespace {namespace}`"
            ))
    }
}
