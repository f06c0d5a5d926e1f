//! Installation by OLM v1: a `ClusterExtension` from a `ClusterCatalog`.

use std::time::Duration;

use serde_json::{Value, json};

use crate::cluster::{self, Look, Say, humane, until};
use crate::error::{Code, Result};
use crate::kubectl::Kubectl;
use crate::objects::{Objects, name};
use crate::project::name::Image;

use super::bundle::Bundle;
use super::live::{self, text};
use super::names::{CLUSTER_CATALOGS, EXTENSIONS, Place};
use super::progress;

/// A bundle as an extension of the cluster.
#[derive(Debug)]
pub(crate) struct Extension<'a> {
    pub(crate) place: &'a Place,
    pub(crate) bundle: &'a Bundle,
    /// The image of the catalog that has it.
    pub(crate) catalog: &'a Image,
    /// The service account that OLM installs it with, if it is not one of rop's.
    pub(crate) service_account: Option<&'a str>,
}

impl Extension<'_> {
    /// The version that is asked for in the cluster, if rop installed one.
    ///
    /// # Errors
    /// An extension has the name or the package that is not rop's.
    pub(crate) fn installed(&self, kubectl: &Kubectl) -> Result<Option<String>> {
        let package = &self.place.package;
        let all = live::everywhere(kubectl, EXTENSIONS, "")?;
        let found = all.iter().find(|it| {
            name(it) == package || it["spec"]["source"]["catalog"]["packageName"] == **package
        });
        match found {
            None => Ok(None),
            Some(own) if self.place.owns(own) => {
                Ok(Some(text(own, "/spec/source/catalog/version").to_owned()))
            }
            Some(foreign) => Err(live::error(
                Code::OlmConflict,
                &format!(
                    "the cluster already has the ClusterExtension `{}`, of the package `{}`",
                    name(foreign),
                    text(foreign, "/spec/source/catalog/packageName")
                ),
            )
            .hint(format!("remove it with `rop cleanup {package}`"))),
        }
    }

    /// Returns the objects that install the bundle with OLM v1.
    pub(crate) fn objects(&self) -> Objects {
        let place = self.place;
        let installer = format!("{}-installer", place.package);
        let mut objects = vec![json!({
            "apiVersion": "olm.operatorframework.io/v1",
            "kind": "ClusterCatalog",
            "metadata": place.cluster_metadata(&place.catalog()),
            "spec": { "source": { "type": "Image", "image": { "ref": self.catalog.as_str() } } },
        })];
        if self.service_account.is_none() {
            objects.push(json!({
                "apiVersion": "v1",
                "kind": "ServiceAccount",
                "metadata": place.metadata(&installer),
            }));
            objects.push(json!({
                "apiVersion": "rbac.authorization.k8s.io/v1",
                "kind": "ClusterRoleBinding",
                "metadata": place.cluster_metadata(&format!("{}-{installer}", place.namespace)),
                "roleRef": {
                    "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin",
                },
                "subjects": [{
                    "kind": "ServiceAccount", "name": installer, "namespace": place.namespace,
                }],
            }));
        }
        objects.push(json!({
            "apiVersion": "olm.operatorframework.io/v1",
            "kind": "ClusterExtension",
            "metadata": place.cluster_metadata(&place.package),
            "spec": {
                "namespace": place.namespace,
                "serviceAccount": { "name": self.service_account.unwrap_or(&installer) },
                "source": {
                    "sourceType": "Catalog",
                    "catalog": {
                        "packageName": place.package,
                        "version": self.bundle.version,
                        // Other catalogs may have the package too.
                        "selector": { "matchLabels": {
                            "olm.operatorframework.io/metadata.name": place.catalog(),
                        } },
                    },
                },
            },
        }));
        objects.into_iter().collect()
    }

    /// Waits until OLM has installed the version.
    ///
    /// # Errors
    /// OLM gives up, or does not install it in time: what its conditions say is the cause.
    pub(crate) fn wait(&self, kubectl: &Kubectl, timeout: Duration, say: Say<'_>) -> Result<()> {
        let package = &self.place.package;
        let done = until(timeout, say, || {
            let catalog = live::get(kubectl, CLUSTER_CATALOGS, None, &self.place.catalog())?;
            if !cluster::is_true(&catalog, "Serving") {
                return Ok(Look::NotYet(progress::conditions(
                    &catalog,
                    &["Progressing", "Serving"],
                )));
            }
            let extension = live::get(kubectl, EXTENSIONS, None, package)?;
            let state = progress::conditions(&extension, &["Progressing", "Installed"]);
            Ok(if self.is_installed(&extension) {
                Look::Done(Ok(()))
            } else if is_blocked(&extension) {
                Look::Done(Err(state))
            } else {
                Look::NotYet(state)
            })
        })?;
        let (cause, what) = match done {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(cause)) => (cause, format!("OLM failed to install {}", self.bundle.name)),
            Err(state) => {
                let time = humane(timeout);
                (
                    state,
                    format!("{} is not installed after {time}", self.bundle.name),
                )
            }
        };
        Err(live::error(Code::OlmInstallFailed, &cause)
            .context(what)
            .hint(format!("see `kubectl describe clusterextension {package}`"))
            .hint(format!(
                "the objects remain: fix the cause and run the command again, or remove them with `rop cleanup {package} \
                --namespace {}`",
                self.place.namespace
            )))
    }

    fn is_installed(&self, extension: &Value) -> bool {
        cluster::is_true(extension, "Installed")
            && text(extension, "/status/install/bundle/version") == self.bundle.version
    }
}

/// Whether OLM waits for somebody to change something.
fn is_blocked(extension: &Value) -> bool {
    let progressing = cluster::condition(extension, "Progressing");
    progressing.is_some_and(|it| it.get("reason").is_some_and(|reason| reason == "Blocked"))
}
