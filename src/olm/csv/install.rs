//! The Deployments that OLM makes.

use serde_json::{Value, json};

use crate::manager::{container_index, is_manager};
use crate::objects::Objects;

use super::webhooks::{CERTIFICATES, has_webhooks};

/// The annotation of the pods in which OLM lists the target namespaces.
const TARGET_NAMESPACES: &str = "metadata.annotations['olm.targetNamespaces']";

/// Environment variables of a self-managed certificate.
const OWN_CERTIFICATE: [&str; 4] = [
    "MUTATING_WEBHOOK_CONFIGURATION_NAME",
    "VALIDATING_WEBHOOK_CONFIGURATION_NAME",
    "WEBHOOK_SECRET_NAME",
    "WEBHOOK_SERVICE_NAME",
];

/// All Deployments among the manifests.
pub(super) fn deployments(objects: &Objects) -> Vec<Value> {
    let has_webhooks = has_webhooks(objects);
    let deployments = objects
        .iter()
        .filter(|object| object["kind"] == "Deployment");
    deployments
        .map(|deployment| {
            let mut spec = deployment["spec"].clone();
            watch_targets(&mut spec);
            if has_webhooks && is_manager(deployment) {
                take_certificates(&mut spec, container_index(deployment));
            }
            json!({
                "name": deployment["metadata"]["name"],
                "label": deployment["metadata"]["labels"],
                "spec": spec,
            })
        })
        .collect()
}

/// The lists of containers in a pod.
fn containers(spec: &mut Value) -> impl Iterator<Item = &mut Value> {
    let containers = spec["template"]["spec"]["containers"].as_array_mut();
    containers.into_iter().flatten()
}

/// Sets `WATCH_NAMESPACE` from the annotation in which OLM lists the target namespaces.
fn watch_targets(spec: &mut Value) {
    for container in containers(spec) {
        let variables = container.get_mut("env").and_then(Value::as_array_mut);
        for variable in variables.into_iter().flatten() {
            if variable["name"] == "WATCH_NAMESPACE" {
                *variable = json!({
                    "name": "WATCH_NAMESPACE",
                    "valueFrom": { "fieldRef": { "fieldPath": TARGET_NAMESPACES } },
                });
            }
        }
    }
}

/// Uses the certificate that OLM mounts, and removes the settings of a self-managed one.
fn take_certificates(spec: &mut Value, index: Option<usize>) {
    let is_mounted = |mount: &Value| mount["mountPath"] == CERTIFICATES;
    let mut volumes = Vec::new();
    for container in containers(spec) {
        if let Some(mounts) = container
            .get_mut("volumeMounts")
            .and_then(Value::as_array_mut)
        {
            let names = mounts.iter().filter(|mount| is_mounted(mount));
            volumes.extend(names.map(|mount| mount["name"].clone()));
            mounts.retain(|mount| !is_mounted(mount));
        }
        if let Some(variables) = container.get_mut("env").and_then(Value::as_array_mut) {
            variables.retain(|variable| {
                let name = variable["name"].as_str().unwrap_or_default();
                !OWN_CERTIFICATE.contains(&name)
            });
        }
    }
    if let Some(all) = spec["template"]["spec"]
        .get_mut("volumes")
        .and_then(Value::as_array_mut)
    {
        all.retain(|volume| !volumes.contains(&volume["name"]));
    }
    let flag = format!("--webhook-cert-path={CERTIFICATES}");
    let Some(container) = index.and_then(|index| containers(spec).nth(index)) else {
        return;
    };
    match container.get_mut("args").and_then(Value::as_array_mut) {
        Some(arguments) if arguments.iter().any(|argument| *argument == *flag) => {}
        Some(arguments) => arguments.push(flag.into()),
        None => container["args"] = json!([flag]),
    }
}
