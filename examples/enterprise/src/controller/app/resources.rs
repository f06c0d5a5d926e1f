//! The desired children of an `App`, as pure functions of the object. The runtime adds the
//! namespace, the owner reference and the managed-by label.

use std::collections::BTreeMap;

use my_operator_api::mycompany::v1::App;
use my_operator_api::mycompany::v1::app::{LogLevel, ResourceAmounts};

use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec};
use k8s_openapi::api::core::v1::{
    ConfigMap, ConfigMapEnvSource, Container, ContainerPort, EnvFromSource, EnvVar,
    PodSecurityContext, PodSpec, PodTemplateSpec, Probe, ResourceRequirements, SeccompProfile,
    SecurityContext, Service, ServicePort, ServiceSpec, TCPSocketAction,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kube::ResourceExt;
use rop_runtime::labels;

/// The pod annotation with a hash of the configuration. A changed configuration rolls out new pods,
/// because running processes do not see changes of their environment.
const CONFIG_HASH: &str = "mycompany.com/config-hash";

/// Returns the name of the Deployment and the Service.
#[must_use]
pub fn name(object: &App) -> String {
    object.name_any()
}

/// Returns the labels that select the pods. Never change them: a Deployment's selector is immutable.
#[must_use]
pub fn selector(object: &App) -> BTreeMap<String, String> {
    labels::selector(object, "app")
}

/// Returns the desired ConfigMap with the environment of the pods.
#[must_use]
pub fn config_map(object: &App) -> ConfigMap {
    ConfigMap {
        metadata: metadata(object, config_name(object)),
        data: Some(config(object)),
        ..ConfigMap::default()
    }
}

/// Returns the desired Deployment.
#[must_use]
pub fn deployment(object: &App) -> Deployment {
    Deployment {
        metadata: metadata(object, name(object)),
        spec: DeploymentSpec {
            replicas: Some(object.spec.replicas),
            selector: LabelSelector {
                match_labels: Some(selector(object)),
                ..LabelSelector::default()
            },
            template: PodTemplateSpec {
                metadata: Some(ObjectMeta {
                    annotations: Some([(CONFIG_HASH.to_owned(), config_hash(object))].into()),
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

/// Returns the desired Service.
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
            selector: Some(selector(object)),
            ..ServiceSpec::default()
        }),
        status: None,
    }
}

fn metadata(object: &App, name: String) -> ObjectMeta {
    ObjectMeta {
        name: Some(name),
        labels: Some(selector(object)),
        ..ObjectMeta::default()
    }
}

fn config_name(object: &App) -> String {
    format!("{}-config", name(object))
}

/// Returns the environment variables. Dedicated fields take precedence over `environment`.
fn config(object: &App) -> BTreeMap<String, String> {
    let config = &object.spec.config;
    let mut data = config.environment.clone();
    let level = match config.log_level {
        LogLevel::Debug => "debug",
        LogLevel::Info => "info",
        LogLevel::Warn => "warn",
        LogLevel::Error => "error",
    };
    data.insert("LOG_LEVEL".to_owned(), level.to_owned());
    if let Some(url) = &config.database_url {
        data.insert("DATABASE_URL".to_owned(), url.clone());
    }
    data
}

/// Returns a short hash of the configuration (FNV-1a), which is the same in every build.
fn config_hash(object: &App) -> String {
    let entries = config(object).into_iter();
    let words = entries.flat_map(|(name, value)| [name, value]);
    let text = words.collect::<Vec<_>>().join("\0");
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// Returns the pod spec, with the restrictions that work for every image. If the image does not run as
/// root, also set `run_as_non_root` and drop all capabilities.
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
    use serde_json::{Value, json};

    use super::super::fixture::fixture;
    use super::*;

    fn object(spec: Value) -> App {
        let mut object = fixture();
        object.spec = serde_json::from_value(spec).expect("a valid spec");
        object
    }

    #[test]
    fn the_deployment_matches_the_spec() {
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
    fn the_selectors_match_the_pods() {
        let deployment = json!(deployment(&fixture()));
        let service = json!(service(&fixture()));
        let labels = &deployment["spec"]["template"]["metadata"]["labels"];
        assert_eq!(labels["app.kubernetes.io/instance"], "web");
        assert_eq!(labels, &deployment["spec"]["selector"]["matchLabels"]);
        assert_eq!(labels, &service["spec"]["selector"]);
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
    fn a_changed_configuration_rolls_out_new_pods() {
        let template = |level| {
            let mut object = fixture();
            object.spec.config.log_level = level;
            json!(deployment(&object))["spec"]["template"].clone()
        };
        assert_eq!(template(LogLevel::Info), template(LogLevel::Info));
        assert_ne!(template(LogLevel::Info), template(LogLevel::Debug));
    }
}
