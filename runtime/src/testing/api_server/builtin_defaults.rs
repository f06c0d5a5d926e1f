//! The defaults of built-in kinds that depend on other fields. The others are in the tables.

use serde_json::{Value, json};

use super::resource::Resource;
use crate::string_data::move_to_data;

/// Sets the defaults.
pub(super) fn fill(resource: &Resource, object: &mut Value) {
    match &*resource.plural {
        "deployments" => {
            template(&mut object["spec"]["template"]);
            let strategy = &mut object["spec"]["strategy"];
            if strategy["type"] == "RollingUpdate" {
                default(strategy, "rollingUpdate", json!({}));
                default(
                    &mut strategy["rollingUpdate"],
                    "maxUnavailable",
                    json!("25%"),
                );
                default(&mut strategy["rollingUpdate"], "maxSurge", json!("25%"));
            }
        }
        "statefulsets" => {
            template(&mut object["spec"]["template"]);
            let strategy = &mut object["spec"]["updateStrategy"];
            if strategy["type"] == "RollingUpdate" {
                default(strategy, "rollingUpdate", json!({}));
                default(&mut strategy["rollingUpdate"], "partition", json!(0));
            }
            for claim in items(&mut object["spec"], "volumeClaimTemplates") {
                default(claim, "apiVersion", json!("v1"));
                default(claim, "kind", json!("PersistentVolumeClaim"));
            }
        }
        "daemonsets" => {
            template(&mut object["spec"]["template"]);
            let strategy = &mut object["spec"]["updateStrategy"];
            if strategy["type"] == "RollingUpdate" {
                default(strategy, "rollingUpdate", json!({}));
                default(&mut strategy["rollingUpdate"], "maxUnavailable", json!(1));
                default(&mut strategy["rollingUpdate"], "maxSurge", json!(0));
            }
        }
        "replicasets" => template(&mut object["spec"]["template"]),
        "pods" => {
            pod(&mut object["spec"]);
            requests(&mut object["spec"]);
            default(&mut object["spec"], "enableServiceLinks", json!(true));
        }
        "jobs" => job(&mut object["spec"]),
        "cronjobs" => template(&mut object["spec"]["jobTemplate"]["spec"]["template"]),
        "services" => service(&mut object["spec"]),
        "rolebindings" | "clusterrolebindings" => subjects(object),
        "networkpolicies" => {
            let has_egress = object["spec"]["egress"].is_array();
            let types = if has_egress {
                json!(["Ingress", "Egress"])
            } else {
                json!(["Ingress"])
            };
            default(&mut object["spec"], "policyTypes", types);
        }
        "secrets" => move_to_data(object),
        "horizontalpodautoscalers" => {
            let metrics = json!([{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}]);
            default(&mut object["spec"], "metrics", metrics);
        }
        _ => {}
    }
}

fn default(object: &mut Value, field: &str, value: Value) {
    if object.is_object() && object[field].is_null() {
        object[field] = value;
    }
}

/// The items of a list in a field, or none without such a list.
fn items<'a>(object: &'a mut Value, field: &str) -> impl Iterator<Item = &'a mut Value> {
    let list = object.get_mut(field).and_then(Value::as_array_mut);
    list.into_iter().flatten()
}

/// Defaults requests to limits: in Pods, not in templates.
fn requests(spec: &mut Value) {
    for list in ["containers", "initContainers"] {
        for container in items(spec, list) {
            let limits = container["resources"]["limits"].clone();
            for (resource, limit) in limits.as_object().into_iter().flatten() {
                default(&mut container["resources"], "requests", json!({}));
                default(
                    &mut container["resources"]["requests"],
                    resource,
                    limit.clone(),
                );
            }
        }
    }
}

fn template(template: &mut Value) {
    if template.is_object() {
        pod(&mut template["spec"]);
    }
}

fn pod(spec: &mut Value) {
    for list in ["containers", "initContainers"] {
        for container in items(spec, list) {
            let image = container["image"].as_str().unwrap_or_default();
            let name = image.rsplit('/').next().unwrap_or_default();
            let is_latest = match (name.contains('@'), name.split_once(':')) {
                (true, _) => false,
                (_, Some((_, tag))) => tag == "latest",
                (_, None) => !image.is_empty(),
            };
            let policy = if is_latest { "Always" } else { "IfNotPresent" };
            default(container, "imagePullPolicy", json!(policy));
        }
    }
    for volume in items(spec, "volumes") {
        if volume
            .as_object()
            .is_some_and(|fields| fields.keys().all(|key| key == "name"))
        {
            volume["emptyDir"] = json!({});
        }
    }
    // The deprecated alias of the field.
    if spec["serviceAccountName"].is_null() && spec["serviceAccount"].is_string() {
        spec["serviceAccountName"] = spec["serviceAccount"].clone();
    }
    if let Some(account) = spec["serviceAccountName"].as_str() {
        spec["serviceAccount"] = json!(account);
    }
}

fn service(spec: &mut Value) {
    for port in items(spec, "ports") {
        let has_target = !matches!(&port["targetPort"], Value::Null)
            && port["targetPort"] != 0
            && port["targetPort"] != "";
        if !has_target {
            port["targetPort"] = port["port"].clone();
        }
    }
    match spec["type"].as_str() {
        Some("NodePort" | "LoadBalancer") => {
            default(spec, "externalTrafficPolicy", json!("Cluster"));
            if spec["type"] == "LoadBalancer" {
                default(spec, "allocateLoadBalancerNodePorts", json!(true));
            }
            default(spec, "internalTrafficPolicy", json!("Cluster"));
        }
        Some("ClusterIP") => default(spec, "internalTrafficPolicy", json!("Cluster")),
        _ => {}
    }
}

fn job(spec: &mut Value) {
    template(&mut spec["template"]);
    if spec["completions"].is_null() && spec["parallelism"].is_null() {
        default(spec, "completions", json!(1));
    }
    default(spec, "parallelism", json!(1));
    default(spec, "manualSelector", json!(false));
    if spec["manualSelector"] == false
        && let Some(fields) = spec.as_object_mut()
    {
        fields.remove("manualSelector");
    }
}

/// Sets the selector and the labels by which a Job finds its Pods.
pub(super) fn own_pods(job: &mut Value) {
    if job["spec"]["manualSelector"] == true {
        return;
    }
    let (uid, name) = (
        job["metadata"]["uid"].clone(),
        job["metadata"]["name"].clone(),
    );
    let labels = &mut job["spec"]["template"]["metadata"]["labels"];
    for (label, value) in [
        ("batch.kubernetes.io/controller-uid", &uid),
        ("batch.kubernetes.io/job-name", &name),
        ("controller-uid", &uid),
        ("job-name", &name),
    ] {
        labels[label] = value.clone();
    }
    job["spec"]["selector"] = json!({"matchLabels": {"batch.kubernetes.io/controller-uid": uid}});
}

fn subjects(binding: &mut Value) {
    for subject in items(binding, "subjects") {
        if subject["kind"] != "ServiceAccount" {
            default(subject, "apiGroup", json!("rbac.authorization.k8s.io"));
        }
    }
}
