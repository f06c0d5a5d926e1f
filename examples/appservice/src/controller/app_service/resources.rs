// SPDX-FileCopyrightText: developer
// SPDX-License-Identifier: Apache-2.0

//! The desired children of an `AppService`, as pure functions of the object. The runtime adds the
//! namespace, the owner reference and the managed-by label.

use std::collections::BTreeMap;

use app_operator_api::app::v1::AppService;

use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec};
use k8s_openapi::api::core::v1::{
    Container, ContainerPort, PodSecurityContext, PodSpec, PodTemplateSpec, SeccompProfile,
    SecurityContext, Service, ServicePort, ServiceSpec,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kube::ResourceExt;
use rop_runtime::labels;

/// Returns the name of the Deployment and the Service.
#[must_use]
pub fn name(object: &AppService) -> String {
    object.name_any()
}

/// Returns the labels that select the pods. Never change them: a Deployment's selector is immutable.
#[must_use]
pub fn selector(object: &AppService) -> BTreeMap<String, String> {
    labels::selector(object, "app")
}

/// Returns the desired Deployment.
#[must_use]
pub fn deployment(object: &AppService) -> Deployment {
    Deployment {
        metadata: metadata(object),
        spec: DeploymentSpec {
            replicas: Some(object.spec.size),
            selector: LabelSelector {
                match_labels: Some(selector(object)),
                ..LabelSelector::default()
            },
            template: PodTemplateSpec {
                metadata: Some(ObjectMeta {
                    labels: Some(selector(object)),
                    ..ObjectMeta::default()
                }),
                spec: Some(pod(object)),
            },
            ..DeploymentSpec::default()
        },
        status: None,
    }
}

/// Returns the desired Service, or `None` if there are no ports.
#[must_use]
pub fn service(object: &AppService) -> Option<Service> {
    let ports = &object.spec.ports;
    if ports.is_empty() {
        return None;
    }
    let exposed = ports.iter().any(|port| port.node_port.is_some());
    Some(Service {
        metadata: metadata(object),
        spec: Some(ServiceSpec {
            ports: Some(
                ports
                    .iter()
                    .map(|port| service_port(port, ports.len() > 1))
                    .collect(),
            ),
            selector: Some(selector(object)),
            type_: Some(if exposed { "NodePort" } else { "ClusterIP" }.to_owned()),
            ..ServiceSpec::default()
        }),
        status: None,
    })
}

fn metadata(object: &AppService) -> ObjectMeta {
    ObjectMeta {
        name: Some(name(object)),
        labels: Some(selector(object)),
        ..ObjectMeta::default()
    }
}

/// Returns the pod spec, with the restrictions that work for every image. If the image does not run as
/// root, also set `run_as_non_root` and drop all capabilities.
fn pod(object: &AppService) -> PodSpec {
    let spec = &object.spec;
    PodSpec {
        containers: vec![Container {
            name: "app".to_owned(),
            image: Some(spec.image.clone()),
            env: (!spec.envs.is_empty()).then(|| spec.envs.clone()),
            ports: (!spec.ports.is_empty()).then(|| container_ports(&spec.ports)),
            resources: spec.resources.clone(),
            security_context: Some(SecurityContext {
                allow_privilege_escalation: Some(false),
                ..SecurityContext::default()
            }),
            ..Container::default()
        }],
        security_context: Some(PodSecurityContext {
            seccomp_profile: Some(SeccompProfile {
                type_: "RuntimeDefault".to_owned(),
                localhost_profile: None,
            }),
            ..PodSecurityContext::default()
        }),
        ..PodSpec::default()
    }
}

/// Returns a port of the Service. If there are several, each must have a name.
fn service_port(port: &ServicePort, named: bool) -> ServicePort {
    let protocol = protocol(port);
    let default_name = || format!("{}-{}", protocol.to_lowercase(), port.port);
    ServicePort {
        name: port.name.clone().or_else(|| named.then(default_name)),
        protocol: Some(protocol.to_owned()),
        ..port.clone()
    }
}

/// Returns the target ports of the Service without duplicates. A named target port gets the number
/// of the Service's port.
fn container_ports(ports: &[ServicePort]) -> Vec<ContainerPort> {
    let mut found = BTreeMap::new();
    for port in ports {
        let (number, name) = match &port.target_port {
            // Some clients send 0 for an unset field.
            None | Some(IntOrString::Int(0)) => (port.port, None),
            Some(IntOrString::Int(number)) => (*number, None),
            Some(IntOrString::String(name)) => (port.port, Some(name.clone())),
        };
        let name = name.filter(|name| !name.is_empty());
        let known = found.entry((number, protocol(port))).or_insert(None);
        *known = known.take().or(name);
    }
    let port = |((number, protocol), name): ((i32, &str), Option<String>)| ContainerPort {
        container_port: number,
        name,
        protocol: Some(protocol.to_owned()),
        ..ContainerPort::default()
    };
    found.into_iter().map(port).collect()
}

fn protocol(port: &ServicePort) -> &str {
    port.protocol.as_deref().unwrap_or("TCP")
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::EnvVar;
    use serde_json::{Value, json};

    use super::super::fixture::fixture;
    use super::*;

    fn with_ports(ports: Value) -> AppService {
        let mut object = fixture();
        object.spec.ports = serde_json::from_value(ports).expect("valid ports");
        object
    }

    #[test]
    fn the_deployment_matches_the_spec() {
        let mut object = with_ports(json!([]));
        let limits = json!({ "limits": { "cpu": "1" } });
        object.spec.size = 3;
        object.spec.image = "nginx".to_owned();
        object.spec.resources = serde_json::from_value(limits.clone()).expect("valid limits");
        object.spec.envs = vec![EnvVar {
            name: "MODE".to_owned(),
            value: Some("test".to_owned()),
            ..EnvVar::default()
        }];
        let deployment = json!(deployment(&object));
        assert_eq!(deployment.pointer("/metadata/name"), Some(&json!("web")));
        assert_eq!(deployment.pointer("/spec/replicas"), Some(&json!(3)));
        let container = &deployment["spec"]["template"]["spec"]["containers"][0];
        assert_eq!(container["image"], "nginx");
        assert_eq!(
            container["env"],
            json!([{ "name": "MODE", "value": "test" }])
        );
        assert_eq!(container["resources"], limits);
        assert_eq!(container.get("ports"), None);
    }

    #[test]
    fn the_selectors_match_the_pods() {
        let object = with_ports(json!([{ "port": 80 }]));
        let deployment = json!(deployment(&object));
        let service = json!(service(&object));
        let labels = &deployment["spec"]["template"]["metadata"]["labels"];
        assert_eq!(labels["app.kubernetes.io/instance"], "web");
        assert_eq!(labels, &deployment["spec"]["selector"]["matchLabels"]);
        assert_eq!(labels, &service["spec"]["selector"]);
    }

    #[test]
    fn without_ports_there_is_no_service() {
        assert_eq!(service(&with_ports(json!([]))), None);
    }

    #[test]
    fn a_node_port_makes_a_node_port_service() {
        let service = |port: Value| json!(service(&with_ports(json!([port]))));
        assert_eq!(service(json!({ "port": 80 }))["spec"]["type"], "ClusterIP");
        let exposed = service(json!({ "port": 80, "nodePort": 30080 }));
        assert_eq!(exposed["spec"]["type"], "NodePort");
        assert_eq!(
            exposed["spec"]["ports"],
            json!([{ "port": 80, "nodePort": 30080, "protocol": "TCP" }])
        );
    }

    #[test]
    fn several_ports_get_names() {
        let ports = json!([{ "port": 80, "name": "http" }, { "port": 53, "protocol": "UDP" }]);
        let service = json!(service(&with_ports(ports)));
        assert_eq!(service["spec"]["ports"][0]["name"], "http");
        assert_eq!(service["spec"]["ports"][1]["name"], "udp-53");
    }

    #[test]
    fn container_ports_are_the_distinct_target_ports() {
        let object = with_ports(json!([
            { "port": 80, "targetPort": 8080 },
            { "port": 8080, "targetPort": "http" },
            { "port": 443 },
            { "port": 444, "targetPort": 0 },
            { "port": 445, "targetPort": "" },
        ]));
        let expected = json!([
            { "containerPort": 443, "protocol": "TCP" },
            { "containerPort": 444, "protocol": "TCP" },
            { "containerPort": 445, "protocol": "TCP" },
            { "containerPort": 8080, "name": "http", "protocol": "TCP" },
        ]);
        assert_eq!(json!(container_ports(&object.spec.ports)), expected);
    }
}
