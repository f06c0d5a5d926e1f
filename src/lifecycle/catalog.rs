//! The catalog in the cluster that OLM v0 installs from.

use std::time::Duration;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::cluster::{self, Look, Say, humane, until};
use crate::error::{Code, Result};
use crate::hex::hex;
use crate::kubectl::Kubectl;
use crate::objects::{self, Objects, name};
use crate::project::name::Image;

use super::bundle::{Bundle, Content};
use super::live::{self, text};
use super::names::Place;

const PORT: u16 = 50051;

/// The name of the file, and of the key of the `ConfigMap`.
const FILE: &str = "catalog.json";

/// The address in a catalog whose pod has none yet.
const UNKNOWN: &str = "127.0.0.1";

/// A catalog for a bundle.
#[derive(Debug)]
pub(crate) struct Served {
    /// What serves it: a `ConfigMap` and a pod, if it is no image.
    pub(crate) server: Objects,
    /// The name of the pod.
    pod: Option<String>,
    source: Value,
}

impl Served {
    /// The objects of a catalog that has the bundle, as an upgrade from another.
    ///
    /// # Errors
    /// The bundle is too large.
    pub(crate) fn new(
        place: &Place,
        bundle: &Bundle,
        content: &Content,
        replaces: Option<&str>,
    ) -> Result<Self> {
        let mut source = json!({
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "CatalogSource",
            "metadata": place.metadata(&place.catalog()),
            "spec": {
                "sourceType": "grpc",
                "displayName": format!("{} (rop run bundle)", bundle.package),
                "publisher": "rop",
            },
        });
        let image = match content {
            Content::Image(image) => {
                source["spec"]["image"] = image.as_str().into();
                source["spec"]["grpcPodConfig"] = json!({
                    "securityContextConfig": "restricted",
                    "extractContent": { "catalogDir": "/configs", "cacheDir": "/tmp/cache" },
                });
                return Ok(Self {
                    server: Objects::default(),
                    pod: None,
                    source,
                });
            }
            Content::Pod(image) => image,
        };
        source["spec"]["address"] = format!("{UNKNOWN}:{PORT}").into();
        let text = bundle.catalog(replaces)?;
        let mut sum = Sha256::new();
        sum.update(image.as_str());
        sum.update(bundle.blob.to_string());
        let name = format!("{}-{}", place.catalog(), &hex(&sum.finalize())[..8]);
        let map = json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": place.metadata(&name),
            "immutable": true,
            "data": { FILE: text },
        });
        let server = [map, pod(place, &name, image)].into_iter().collect();
        Ok(Self {
            server,
            pod: Some(name),
            source,
        })
    }

    /// The `CatalogSource`, before anything serves it.
    pub(crate) fn planned(&self) -> Objects {
        [self.source.clone()].into_iter().collect()
    }

    /// The `CatalogSource`, once its pod has an address.
    pub(crate) fn source(&self, address: Option<&str>) -> Objects {
        let mut source = self.source.clone();
        if let Some(address) = address {
            let address = if address.contains(':') {
                format!("[{address}]:{PORT}")
            } else {
                format!("{address}:{PORT}")
            };
            source["spec"]["address"] = address.into();
        }
        [source].into_iter().collect()
    }

    /// Whether the cluster has a catalog of the same bundle. That of an image is known to OLM alone.
    ///
    /// # Errors
    /// The `ConfigMap`s cannot be read.
    pub(crate) fn is_current(&self, kubectl: &Kubectl, place: &Place) -> Result<bool> {
        let Some(name) = &self.pod else {
            return Ok(true);
        };
        let map = live::get(kubectl, "configmap", Some(&place.namespace), name)?;
        Ok(!map.is_null())
    }

    /// Removes what served earlier catalogs of the package.
    ///
    /// # Errors
    /// It cannot be read or deleted.
    pub(crate) fn remove_stale(&self, kubectl: &Kubectl, place: &Place) -> Result<()> {
        let selector = place.selector();
        let mut stale = live::select(kubectl, "configmaps,pods", &place.namespace, &selector)?;
        stale.retain(|object| self.pod.as_deref() != Some(name(object)));
        if !stale.is_empty() {
            let arguments = ["delete", "--ignore-not-found", "--wait=false", "-f", "-"];
            kubectl.text(&arguments, Some(&objects::list(&stale)))?;
        }
        Ok(())
    }

    /// Removes a pod of an earlier run that has ended: it cannot be started again.
    ///
    /// # Errors
    /// The pod cannot be read or deleted.
    pub(crate) fn remove_ended(&self, kubectl: &Kubectl, place: &Place) -> Result<()> {
        let Some(name) = &self.pod else {
            return Ok(());
        };
        let pod = live::get(kubectl, "pod", Some(&place.namespace), name)?;
        if ["Failed", "Succeeded"].contains(&text(&pod, "/status/phase")) {
            let arguments = [
                "delete",
                "pod",
                "--ignore-not-found",
                "-n",
                &place.namespace,
                "--",
                name,
            ];
            kubectl.text(&arguments, None)?;
        }
        Ok(())
    }
}

/// The pod that serves a catalog. It needs nothing of the API server.
fn pod(place: &Place, name: &str, image: &Image) -> Value {
    let port = format!("--port={PORT}");
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": place.metadata(name),
        "spec": {
            "automountServiceAccountToken": false,
            "securityContext": {
                "runAsNonRoot": true, "runAsUser": 1001,
                "seccompProfile": { "type": "RuntimeDefault" },
            },
            "containers": [{
                "name": "registry",
                "image": image.as_str(),
                "command": ["opm"],
                "args": ["serve", "/configs", port, "--cache-dir=/tmp/cache", "--cache-enforce-integrity=false", "--pprof-addr="],
                "ports": [{ "name": "grpc", "containerPort": PORT, "protocol": "TCP" }],
                "readinessProbe": { "grpc": { "port": PORT }, "periodSeconds": 2 },
                "resources": { "requests": { "cpu": "10m", "memory": "50Mi" } },
                "securityContext": {
                    "allowPrivilegeEscalation": false,
                    "capabilities": { "drop": ["ALL"] },
                    "readOnlyRootFilesystem": true,
                },
                "volumeMounts": [
                    // The links of a volume of a ConfigMap would be read as a second copy.
                    { "name": "catalog", "mountPath": format!("/configs/{FILE}"), "subPath": FILE },
                    { "name": "tmp", "mountPath": "/tmp" },
                ],
            }],
            "volumes": [
                { "name": "catalog", "configMap": { "name": name } },
                { "name": "tmp", "emptyDir": {} },
            ],
        },
    })
}

/// Waits until the pod of a catalog is ready, and gives its address. None if there is no pod.
///
/// # Errors
/// It does not become ready in time: its reasons are the cause.
pub(crate) fn wait_until_served(
    kubectl: &Kubectl,
    place: &Place,
    served: &Served,
    timeout: Duration,
    say: Say<'_>,
) -> Result<Option<String>> {
    let Some(name) = &served.pod else {
        return Ok(None);
    };
    let ready = until(timeout, say, || {
        let pod = live::get(kubectl, "pod", Some(&place.namespace), name)?;
        let address = text(&pod, "/status/podIP");
        Ok(if cluster::is_true(&pod, "Ready") && !address.is_empty() {
            Look::Done(address.to_owned())
        } else {
            let reasons = cluster::pod_reasons(&pod)
                .into_iter()
                .map(|reason| reason.text)
                .collect::<Vec<_>>()
                .join("; ");
            Look::NotYet(format!(
                "until the catalog's pod {name} is ready: {reasons}"
            ))
        })
    })?;
    ready.map(Some).map_err(|state| {
        let namespace = &place.namespace;
        live::error(
            Code::NotReady,
            &format!("timed out after {} waiting {state}", humane(timeout)),
        )
        .hint(format!("see `kubectl describe pod -n {namespace} {name}`"))
        .hint("the applied objects remain: fix the cause and run the command again, or remove them with `rop cleanup`")
    })
}
