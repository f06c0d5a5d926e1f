//! Validates built-in kinds, limited to the most common errors of operators.

use serde_json::{Value, json};

use super::failure::FieldError;
use super::immutable;
use super::resource::Resource;
use super::service::has_address;

/// The errors of a new object.
pub(super) fn created(resource: &Resource, object: &Value) -> Vec<FieldError> {
    match &*resource.plural {
        "deployments" | "statefulsets" | "daemonsets" | "replicasets" => workload(object),
        "services" => service(object),
        _ => Vec::new(),
    }
}

/// The errors of an update.
pub(super) fn updated(resource: &Resource, old: &Value, object: &Value) -> Vec<FieldError> {
    let mut errors = created(resource, object);
    errors.extend(immutable::check(resource, old, object));
    errors
}

/// The errors of a status.
pub(super) fn of_status(resource: &Resource, object: &Value) -> Vec<FieldError> {
    let status = &object["status"];
    let mut errors = Vec::new();
    match &*resource.plural {
        "services" => {
            let has_ingress = status["loadBalancer"]["ingress"].is_array();
            if has_ingress && object["spec"]["type"] != "LoadBalancer" {
                let detail = "may only be used when `spec.type` is 'LoadBalancer'";
                errors.push(FieldError::forbidden("status.loadBalancer.ingress", detail));
            }
        }
        "deployments" => {
            let count = |name: &str| status[name].as_i64().unwrap_or(0);
            let mut at_most = |name: &str, most: &str, text: &str| {
                if count(name) > count(most) {
                    let path = format!("status.{name}");
                    let detail = format!("cannot be greater than {text}");
                    errors.push(FieldError::invalid(&path, json!(count(name)), detail));
                }
            };
            for name in ["updatedReplicas", "readyReplicas", "availableReplicas"] {
                at_most(name, "replicas", "status.replicas");
            }
            at_most("availableReplicas", "readyReplicas", "readyReplicas");
        }
        _ => {}
    }
    errors
}

fn workload(object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let spec = &object["spec"];
    let selector = &spec["selector"];
    let labels = &spec["template"]["metadata"]["labels"];
    if selector.is_null() {
        errors.push(FieldError::required("spec.selector", ""));
    } else if selector.as_object().is_some_and(serde_json::Map::is_empty) {
        let detail = "empty selector is invalid for deployment";
        errors.push(FieldError::invalid(
            "spec.selector",
            selector.clone(),
            detail,
        ));
    }
    let mut wanted = selector["matchLabels"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| labels[name] == *value);
    if selector.is_null() || !wanted.all(|is| is) {
        let detail = "`selector` does not match template `labels`";
        let path = "spec.template.metadata.labels";
        errors.push(FieldError::invalid(path, labels.clone(), detail));
    }
    if spec["replicas"]
        .as_i64()
        .is_some_and(|replicas| replicas < 0)
    {
        let detail = "must be greater than or equal to 0";
        errors.push(FieldError::invalid(
            "spec.replicas",
            spec["replicas"].clone(),
            detail,
        ));
    }
    if spec["strategy"]["type"] == "Recreate" && spec["strategy"].get("rollingUpdate").is_some() {
        let detail = "may not be specified when strategy `type` is 'Recreate'";
        errors.push(FieldError::forbidden("spec.strategy.rollingUpdate", detail));
    }
    match spec["template"]["spec"]["containers"].as_array() {
        Some(list) if !list.is_empty() => errors.extend(containers(list)),
        _ => errors.push(FieldError::required("spec.template.spec.containers", "")),
    }
    errors
}

fn containers(list: &[Value]) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (index, container) in list.iter().enumerate() {
        let path = format!("spec.template.spec.containers[{index}]");
        for field in ["name", "image"] {
            if container[field].as_str().unwrap_or_default().is_empty() {
                errors.push(FieldError::required(&format!("{path}.{field}"), ""));
            }
        }
    }
    errors
}

fn service(object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let spec = &object["spec"];
    let ports = spec["ports"].as_array();
    let is_headless = spec["clusterIP"] == "None";
    if ports.is_none_or(Vec::is_empty) && !is_headless && has_address(object) {
        errors.push(FieldError::required("spec.ports", ""));
    }
    let type_ = spec["type"].as_str().unwrap_or_default();
    if is_headless && matches!(type_, "LoadBalancer" | "NodePort") {
        let why = format!("may not be set to 'None' for {type_} services");
        errors.push(FieldError::invalid(
            "spec.clusterIPs[0]",
            json!("None"),
            &why,
        ));
    }
    let ports = ports.into_iter().flatten().enumerate();
    for (index, port) in ports {
        let number = port["port"].as_i64().unwrap_or(0);
        if !(1..=65_535).contains(&number) {
            let path = format!("spec.ports[{index}].port");
            errors.push(FieldError::invalid(
                &path,
                json!(number),
                "must be between 1 and 65535, inclusive",
            ));
        }
        let has_name = !port["name"].as_str().unwrap_or_default().is_empty();
        if spec["ports"]
            .as_array()
            .is_some_and(|ports| ports.len() > 1)
            && !has_name
        {
            errors.push(FieldError::required(
                &format!("spec.ports[{index}].name"),
                "",
            ));
        }
    }
    errors
}
