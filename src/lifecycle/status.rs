//! OLM's own parts in a cluster.

use std::time::Duration;

use serde_json::Value;

use crate::cluster::{Look, Say, humane, until};
use crate::error::{Code, Result};
use crate::kubectl::Kubectl;
use crate::objects::{Objects, name};

use super::generation::Generation;
use super::live::{self, items, text};
use super::names::CSVS;
use super::progress;

/// A Deployment of OLM.
#[derive(Debug)]
pub(crate) struct Component {
    pub(crate) name: String,
    pub(crate) namespace: String,
    pub(crate) image: String,
    pub(crate) available: u64,
    pub(crate) replicas: u64,
}

impl Component {
    pub(crate) fn is_ready(&self) -> bool {
        self.available >= self.replicas && self.replicas > 0
    }
}

impl Generation {
    /// Its Deployments. Distributions choose the namespace.
    fn deployments(self) -> &'static [&'static str] {
        match self {
            Self::V0 => &["olm-operator", "catalog-operator", "packageserver"],
            Self::V1 => &[
                "operator-controller-controller-manager",
                "catalogd-controller-manager",
            ],
        }
    }
}

/// The Deployments of an OLM in the cluster.
///
/// # Errors
/// They cannot be read.
pub(crate) fn components(kubectl: &Kubectl, generation: Generation) -> Result<Vec<Component>> {
    let mut components = Vec::new();
    for deployment in generation.deployments() {
        let selector = format!("--field-selector=metadata.name={deployment}");
        let arguments = [
            "get",
            "deployments",
            "-o",
            "json",
            "--all-namespaces",
            &selector,
        ];
        let found = kubectl.objects(&arguments, None)?;
        components.extend(found.iter().map(component));
    }
    Ok(components)
}

fn component(deployment: &Value) -> Component {
    let count = |pointer: &str| deployment.pointer(pointer).and_then(Value::as_u64);
    let image = items(deployment, "/spec/template/spec/containers").next();
    Component {
        name: name(deployment).to_owned(),
        namespace: text(deployment, "/metadata/namespace").to_owned(),
        image: image
            .map(|it| text(it, "/image"))
            .unwrap_or_default()
            .to_owned(),
        available: count("/status/availableReplicas").unwrap_or(0),
        replicas: count("/spec/replicas").unwrap_or(1),
    }
}

/// Waits until the `ClusterServiceVersion`s among some objects have succeeded: OLM v0 runs its package server by one.
///
/// # Errors
/// One does not in time.
pub(crate) fn wait_for_csvs(
    kubectl: &Kubectl,
    objects: &Objects,
    timeout: Duration,
    say: Say<'_>,
) -> Result<()> {
    for object in objects
        .iter()
        .filter(|it| it["kind"] == "ClusterServiceVersion")
    {
        let namespace = text(object, "/metadata/namespace");
        let ready = until(timeout, &mut *say, || {
            let csv = live::get(kubectl, CSVS, Some(namespace), name(object))?;
            Ok(match text(&csv, "/status/phase") {
                "Succeeded" => Look::Done(()),
                _ => Look::NotYet(progress::csv(name(object), &csv)),
            })
        })?;
        ready.map_err(|state| {
            let time = humane(timeout);
            live::error(
                Code::NotReady,
                &format!("OLM is not ready after {time}: {state}"),
            )
            .hint(format!("see `kubectl describe csv -n {namespace}`"))
        })?;
    }
    Ok(())
}
