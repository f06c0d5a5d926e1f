//! What children name of others: an Ingress a Service and its port, an autoscaler a workload, and a `CronJob` what its Pods
//! need.

use std::sync::Arc;

use serde_json::Value;

use super::around::{items, missing};
use super::children::{Child, Children};
use super::managers::applies_replicas;
use super::target::Target;
use crate::testing::api_server::builtin_kind;

const SCALES: &str = "an autoscaler alone sets replicas";

const EXIST: &str = "children lead to objects that exist";

/// Checks that what Ingresses, autoscalers and `CronJob`s lead to exists. Returns `None` if not.
pub(super) fn check(children: &Children) -> Option<()> {
    for child in &children.all {
        let wrong = match child.object["kind"].as_str().unwrap_or_default() {
            "Ingress" => backends(&child.object["spec"])
                .into_iter()
                .find_map(|service| missing_backend(children, child, service))
                .map(|missing| (EXIST, leads(&missing))),
            "HorizontalPodAutoscaler" => wrong_workload(children, child),
            "CronJob" => missing_need(children, child).map(|missing| (EXIST, leads(&missing))),
            _ => None,
        };
        if let Some((invariant, wrong)) = wrong {
            let message = format!("{} {wrong}", child.target);
            let world = children.world;
            world.broken(invariant, Some(&child.target.name), message);
            return None;
        }
    }
    Some(())
}

fn leads(missing: &str) -> String {
    format!("leads to {missing}")
}

/// The Services that an Ingress leads to, with their ports.
fn backends(spec: &Value) -> Vec<&Value> {
    let rules = items(&spec["rules"]);
    let paths = rules.flat_map(|rule| items(&rule["http"]["paths"]));
    let of_paths = paths.map(|path| &path["backend"]);
    let backends = [&spec["defaultBackend"]].into_iter().chain(of_paths);
    let services = backends.map(|backend| &backend["service"]);
    services.filter(|service| !service.is_null()).collect()
}

/// What is missing of a Service that an Ingress leads to: the Service, or its port.
fn missing_backend(children: &Children, child: &Child, backend: &Value) -> Option<String> {
    let target = near(child, "v1", "services", &backend["name"]);
    let service = match found(children, child, &target)? {
        Ok(service) => service,
        Err(missing) => return Some(missing),
    };
    let (name, number) = (&backend["port"]["name"], &backend["port"]["number"]);
    let mut ports = service["spec"]["ports"].as_array()?.iter();
    let has_port = ports.any(|port| match name {
        Value::Null => port["port"] == *number,
        name => port["name"] == *name,
    });
    let port = if name.is_null() { number } else { name };
    (!has_port).then(|| format!("the port {port} of {target}, which has no such port"))
}

/// The invariant that an autoscaler violates, and how: its workload does not exist, or the operator applies the replicas.
fn wrong_workload(children: &Children, child: &Child) -> Option<(&'static str, String)> {
    let reference = &child.object["spec"]["scaleTargetRef"];
    let version = reference["apiVersion"].as_str()?;
    let (plural, _) = builtin_kind(version, reference["kind"].as_str()?)?;
    let target = near(child, version, &plural, &reference["name"]);
    let workload = match found(children, child, &target)? {
        Ok(workload) => workload,
        Err(missing) => return Some((EXIST, leads(&missing))),
    };
    let is_contested = applies_replicas(&workload, &children.world.names().operator);
    is_contested.then(|| {
        let wrong = format!(
            "scales {target}, and the operator sets its `spec.replicas` again: leave that field out while there is an \
             autoscaler"
        );
        (SCALES, wrong)
    })
}

/// What the Pods of a `CronJob` need, if it does not exist. They start later, so nothing waits for it.
fn missing_need(children: &Children, child: &Child) -> Option<String> {
    let what = missing(children.world, &child.object)?;
    let (_, name) = what.rsplit_once('/')?;
    (!is_of_others(children, child, name)).then(|| format!("{what}, which does not exist"))
}

/// Whether the user or another operator may create an object that a child names.
fn is_of_others(children: &Children, child: &Child, name: &str) -> bool {
    children.is_given(child, &Value::from(name)) || children.has_another_operator(child)
}

/// The object of a resource in the namespace of a child.
fn near(child: &Child, version: &str, plural: &str, name: &Value) -> Target {
    Target {
        version: version.to_owned(),
        plural: plural.to_owned(),
        name: name.as_str().unwrap_or_default().to_owned(),
        ..child.target.clone()
    }
}

/// An object that a child names, or that it is missing. `None` if it is missing, and the user or another operator may
/// create it.
fn found(
    children: &Children,
    child: &Child,
    target: &Target,
) -> Option<Result<Arc<Value>, String>> {
    if let Some(object) = children.world.find(target) {
        return Some(Ok(object));
    }
    (!is_of_others(children, child, &target.name))
        .then(|| Err(format!("{target}, which does not exist")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_ingress_leads_to_services_by_paths_and_by_default() {
        let service = |name: &str| json!({ "service": { "name": name } });
        let spec = json!({
            "defaultBackend": service("fallback"),
            "rules": [
                { "http": { "paths": [{ "backend": service("web") }, { "backend": { "resource": {} } }] } },
                { "host": "example.com" },
            ],
        });
        let names: Vec<_> = backends(&spec)
            .into_iter()
            .map(|service| service["name"].clone())
            .collect();
        assert_eq!(names, ["fallback", "web"]);
        assert_eq!(backends(&json!({})), [&Value::Null; 0]);
    }
}
