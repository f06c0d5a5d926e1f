//! The `App` API: an application run by a Deployment, with a Service and a ConfigMap.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Desired state of an App.
#[derive(Clone, CustomResource, Debug, Deserialize, KubeSchema, PartialEq, Serialize)]
#[kube(
    group = "mycompany.com",
    version = "v1",
    kind = "App",
    plural = "apps",
    namespaced,
    doc = "An application run by a Deployment, with a Service and a ConfigMap.",
    status = "AppStatus",
    derive = "PartialEq",
    scale(
        spec_replicas_path = ".spec.replicas",
        status_replicas_path = ".status.replicas",
        label_selector_path = ".status.selector"
    ),
    printcolumn(name = "Phase", type_ = "string", json_path = ".status.phase"),
    printcolumn(name = "Replicas", type_ = "integer", json_path = ".spec.replicas"),
    printcolumn(
        name = "Available",
        type_ = "integer",
        json_path = ".status.availableReplicas"
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    validation = Rule::new(
        "self.metadata.name.size() <= 63 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')"
    )
    .message("metadata.name is also the name of a Service: must be no more than 63 characters, only a-z, 0-9 and '-', start with a letter and not end with '-'")
)]
#[serde(rename_all = "camelCase")]
pub struct AppSpec {
    /// Desired number of pods.
    #[schemars(range(min = 1))]
    pub replicas: i32,

    /// Container image to run.
    #[schemars(length(min = 1))]
    pub image: String,

    /// Port of the application and its Service.
    #[serde(default = "default_port")]
    #[schemars(range(min = 1, max = 65535))]
    pub port: i32,

    /// Configuration of the application.
    #[serde(default)]
    pub config: ConfigSpec,

    /// Compute resources of the application.
    #[serde(default)]
    pub resources: ResourcesSpec,
}

/// Configuration of an application, passed as environment variables.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfigSpec {
    /// Value of `DATABASE_URL`. Do not include a password, because everyone who can read the App can read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database_url: Option<String>,

    /// Value of `LOG_LEVEL`.
    #[serde(default)]
    pub log_level: LogLevel,

    /// Additional environment variables.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
}

/// Log level of an application.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum LogLevel {
    Debug,
    #[default]
    Info,
    Warn,
    Error,
}

/// Compute resources of an application.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourcesSpec {
    /// Resources reserved for each pod.
    #[serde(default)]
    pub requests: ResourceAmounts,

    /// Maximum resources of each pod.
    #[serde(default)]
    pub limits: ResourceAmounts,
}

/// Amounts of compute resources.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceAmounts {
    /// CPU in cores, such as `2`, or millicores, such as `500m`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[0-9]+m?$"))]
    pub cpu: Option<String>,

    /// Memory with a unit, such as `512Mi`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^([0-9]+)([a-zA-Z]+)$"))]
    pub memory: Option<String>,
}

/// Observed state of an App.
#[derive(Clone, Debug, Default, Deserialize, KubeSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AppStatus {
    /// The most recent generation observed by the controller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,

    /// Phase of the application.
    #[serde(default)]
    pub phase: Phase,

    /// Number of pods.
    #[serde(default)]
    pub replicas: i32,

    /// Number of available pods.
    #[serde(default)]
    pub available_replicas: i32,

    /// Label selector of the pods, used by the scale subresource.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub selector: String,

    /// Conditions of the application, such as Available and Ready.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<Condition>,
}

/// Phase of an application.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub enum Phase {
    #[default]
    Pending,
    Updating,
    Running,
    Failed,
}

fn default_port() -> i32 {
    8080
}
