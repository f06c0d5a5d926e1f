//! What an `App` asks for, as Kubernetes resources. Pure: the same object always gives the
//! same resources.

use std::collections::BTreeMap;

use my_operator_api::mycompany::v1::App;
use my_operator_api::mycompany::v1::app::ResourceAmounts;

use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec};
use k8s_openapi::api::core::v1::{
    ConfigMap, ConfigMapEnvSource, Container, ContainerPort, EnvFromSource, EnvVar,
    PodSecurityContext, PodSpec, PodTemplateSpec, Probe, ResourceRequirements, SeccompProfile,
    SecurityContext, Service, ServicePort, ServiceSpec, TCPSocketAction,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kube::{Resource, ResourceExt};
use serde_json::json;

use crate::runtime::labels;

/// The annotation of the pods with the sum of their configuration: another configuration makes new
/// pods, for a process does not see that its environment has changed.
const CONFIG_SUM: &str = "mycompany.com/config-sum";

/// The name of the Deployment and of the Service.
#[must_use]
pub fn name(object: &App) -> String {
    object.name_any()
}

/// The ConfigMap that the environment of the pods is taken from.
#[must_use]
pub fn config_map(object: &App) -> ConfigMap {
    ConfigMap {
        metadata: metadata(object, config_name(object)),
        data: Some(config(object)),
        ..ConfigMap::default()
    }
}

/// The Deployment that runs the pods.
#[must_use]
pub fn deployment(object: &App) -> Deployment {
    Deployment {
        metadata: metadata(object, name(object)),
        spec: DeploymentSpec {
            replicas: Some(object.spec.replicas),
            selector: LabelSelector {
                match_labels: Some(labels::selector(object)),
                ..LabelSelector::default()
            },
            template: PodTemplateSpec {
                metadata: Some(ObjectMeta {
                    annotations: Some([(CONFIG_SUM.to_owned(), config_sum(object))].into()),
                    labels: Some(labels::all(object)),
                    ..ObjectMeta::default()
                }),
                spec: Some(pod(object)),
            },
            ..DeploymentSpec::default()
        },
        status: None,
    }
}

/// The Service in front of the pods.
#[must_use]
pub fn service(object: &App) -> Service {
    Service {
        metadata: metadata(object, name(object)),
        spec: Some(ServiceSpec {
            ports: Some(vec![ServicePort {
                port: object.spec.port,
                protocol: Some("TCP".to_owned()),
                ..ServicePort::default()
            }]),
            selector: Some(labels::selector(object)),
            ..ServiceSpec::default()
        }),
        status: None,
    }
}

fn metadata(object: &App, name: String) -> ObjectMeta {
    ObjectMeta {
        name: Some(name),
        labels: Some(labels::all(object)),
        owner_references: Some(object.controller_owner_ref(&()).into_iter().collect()),
        ..ObjectMeta::default()
    }
}

fn config_name(object: &App) -> String {
    format!("{}-config", name(object))
}

/// The environment that the spec asks for. What has a field of its own wins over the rest.
fn config(object: &App) -> BTreeMap<String, String> {
    let config = &object.spec.config;
    let mut data = config.environment.clone();
    if let Some(level) = json!(config.log_level).as_str() {
        data.insert("LOG_LEVEL".to_owned(), level.to_owned());
    }
    if let Some(url) = &config.database_url {
        data.insert("DATABASE_URL".to_owned(), url.clone());
    }
    data
}

/// A short sum of the configuration (FNV-1a), the same in every build of the operator.
fn config_sum(object: &App) -> String {
    let text = json!(config(object)).to_string();
    let sum = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{sum:016x}")
}

/// The pod, as restricted as any image can stand. Where the image does not need root, add
/// `run_as_non_root` and drop all capabilities.
fn pod(object: &App) -> PodSpec {
    let spec = &object.spec;
    PodSpec {
        containers: vec![Container {
            name: "app".to_owned(),
            image: Some(spec.image.clone()),
            env: Some(vec![EnvVar {
                name: "PORT".to_owned(),
                value: Some(spec.port.to_string()),
                value_from: None,
            }]),
            env_from: Some(vec![EnvFromSource {
                config_map_ref: Some(ConfigMapEnvSource {
                    name: config_name(object),
                    optional: None,
                }),
                ..EnvFromSource::default()
            }]),
            ports: Some(vec![ContainerPort {
                container_port: spec.port,
                protocol: Some("TCP".to_owned()),
                ..ContainerPort::default()
            }]),
            readiness_probe: Some(Probe {
                tcp_socket: Some(TCPSocketAction {
                    port: IntOrString::Int(spec.port),
                    host: None,
                }),
                ..Probe::default()
            }),
            resources: Some(ResourceRequirements {
                requests: quantities(&spec.resources.requests),
                limits: quantities(&spec.resources.limits),
                claims: None,
            }),
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

fn quantities(amounts: &ResourceAmounts) -> Option<BTreeMap<String, Quantity>> {
    let amounts = [("cpu", &amounts.cpu), ("memory", &amounts.memory)];
    let quantities: BTreeMap<_, _> = amounts
        .into_iter()
        .filter_map(|(name, amount)| Some((name.to_owned(), Quantity(amount.clone()?))))
        .collect();
    (!quantities.is_empty()).then_some(quantities)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn object(spec: Value) -> App {
        let metadata = json!({ "name": "web", "namespace": "shop", "uid": "1" });
        let object = json!({ "metadata": metadata, "spec": spec });
        serde_json::from_value(object).expect("a valid object")
    }

    #[test]
    fn the_deployment_runs_what_the_spec_asks_for() {
        let object = object(json!({
            "replicas": 3,
            "image": "nginx",
            "port": 80,
            "resources": {
                "requests": { "cpu": "100m" },
                "limits": { "cpu": "1", "memory": "128Mi" },
            },
        }));
        let deployment = json!(deployment(&object));
        assert_eq!(deployment["metadata"]["name"], "web");
        assert_eq!(deployment["spec"]["replicas"], 3);
        let container = &deployment["spec"]["template"]["spec"]["containers"][0];
        assert_eq!(container["image"], "nginx");
        assert_eq!(container["ports"][0]["containerPort"], 80);
        assert_eq!(container["readinessProbe"]["tcpSocket"]["port"], 80);
        assert_eq!(container["env"], json!([{ "name": "PORT", "value": "80" }]));
        assert_eq!(
            container["resources"],
            json!({ "requests": { "cpu": "100m" }, "limits": { "cpu": "1", "memory": "128Mi" } })
        );
        assert_eq!(json!(service(&object))["spec"]["ports"][0]["port"], 80);
    }

    #[test]
    fn children_are_owned_and_selected() {
        let object = object(json!({ "image": "nginx", "replicas": 1 }));
        let deployment = json!(deployment(&object));
        let service = json!(service(&object));
        for child in [&deployment, &service, &json!(config_map(&object))] {
            let owner = &child["metadata"]["ownerReferences"][0];
            assert_eq!(
                (&owner["uid"], &owner["controller"]),
                (&json!("1"), &json!(true))
            );
        }
        let selector = &deployment["spec"]["selector"]["matchLabels"];
        assert_eq!(selector, &service["spec"]["selector"]);
        let labels = &deployment["spec"]["template"]["metadata"]["labels"];
        assert!(
            selector
                .as_object()
                .is_some_and(|wanted| wanted.iter().all(|(key, value)| &labels[key] == value))
        );
    }

    #[test]
    fn the_configuration_is_the_environment_of_the_pods() {
        let object = object(json!({
            "image": "nginx",
            "replicas": 1,
            "config": {
                "databaseUrl": "postgres://db/shop",
                "logLevel": "debug",
                "environment": { "LOG_LEVEL": "none", "MODE": "test" },
            },
        }));
        let config = json!(config_map(&object));
        assert_eq!(config["metadata"]["name"], "web-config");
        let data = json!({
            "DATABASE_URL": "postgres://db/shop", "LOG_LEVEL": "debug", "MODE": "test",
        });
        assert_eq!(config["data"], data);
        let pod = json!(pod(&object));
        let source = &pod["containers"][0]["envFrom"][0]["configMapRef"];
        assert_eq!(source["name"], "web-config");
    }

    #[test]
    fn another_configuration_makes_other_pods() {
        let template = |level| {
            let config = json!({ "logLevel": level });
            let spec = json!({ "image": "nginx", "replicas": 1, "config": config });
            json!(deployment(&object(spec)))["spec"]["template"].clone()
        };
        assert_eq!(template("info"), template("info"));
        assert_ne!(template("info"), template("debug"));
    }
}
