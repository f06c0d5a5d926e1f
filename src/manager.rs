//! The operator among manifests: its Deployment, and the container in it that is the operator.

use serde_json::Value;

/// The label that the operator's Deployment is known by.
pub(crate) const LABEL: (&str, &str) = ("control-plane", "controller-manager");

/// The annotation that names the container that people mean.
pub(crate) const DEFAULT_CONTAINER: &str = "kubectl.kubernetes.io/default-container";

/// Whether an object is the operator's Deployment.
pub(crate) fn is_manager(object: &Value) -> bool {
    let (key, value) = LABEL;
    object["kind"] == "Deployment" && object["metadata"]["labels"][key] == value
}

/// The position of the container that the pod names, or of the only one.
pub(crate) fn container_index(deployment: &Value) -> Option<usize> {
    let template = &deployment["spec"]["template"];
    let name = &template["metadata"]["annotations"][DEFAULT_CONTAINER];
    let containers = template["spec"]["containers"].as_array()?;
    match (name, &containers[..]) {
        (Value::Null, [_]) => Some(0),
        (name, containers) => containers.iter().position(|c| c["name"] == *name),
    }
}
