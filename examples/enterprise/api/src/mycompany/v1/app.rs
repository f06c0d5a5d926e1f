//! `App`: an application that runs as a Deployment, behind a Service, with its configuration in a
//! ConfigMap.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an `App` should be.
#[derive(Clone, CustomResource, Debug, Deserialize, KubeSchema, PartialEq, Serialize)]
#[kube(
    group = "mycompany.com",
    version = "v1",
    kind = "App",
    plural = "apps",
    namespaced,
    doc = "An application that runs as a Deployment, behind a Service, with its configuration in a ConfigMap.",
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
    .message("the name is also a Service's: at most 63 of a-z, 0-9 and '-', starting with a letter and not ending with '-'")
)]
#[serde(rename_all = "camelCase")]
pub struct AppSpec {
    /// How many pods run.
    #[schemars(range(min = 1))]
    pub replicas: i32,

    /// The container image to run.
    #[schemars(length(min = 1))]
    pub image: String,

    /// The port that the application listens on, and its Service too.
    #[serde(default = "default_port")]
    #[schemars(range(min = 1, max = 65535))]
    pub port: i32,

    /// The configuration of the application.
    #[serde(default)]
    pub config: ConfigSpec,

    /// What the application needs, and what it may use.
    #[serde(default)]
    pub resources: ResourcesSpec,
}

/// The configuration of an application, which finds it in its environment.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfigSpec {
    /// `DATABASE_URL`. It can be read by everybody who may read an `App`: no password belongs here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database_url: Option<String>,

    /// `LOG_LEVEL`.
    #[serde(default)]
    pub log_level: LogLevel,

    /// More variables of the environment.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
}

/// How much an application logs.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum LogLevel {
    Debug,
    #[default]
    Info,
    Warn,
    Error,
}

/// The compute resources of an application.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourcesSpec {
    /// What is kept free for each pod.
    #[serde(default)]
    pub requests: ResourceAmounts,

    /// What no pod gets more of.
    #[serde(default)]
    pub limits: ResourceAmounts,
}

/// An amount of each compute resource.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceAmounts {
    /// Processors, such as `2`, or thousandths of one, such as `500m`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[0-9]+m?$"))]
    pub cpu: Option<String>,

    /// Memory with its unit, such as `512Mi`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^([0-9]+)([a-zA-Z]+)$"))]
    pub memory: Option<String>,
}

/// What was last seen of an `App`.
#[derive(Clone, Debug, Default, Deserialize, KubeSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AppStatus {
    /// The generation of the object that this status describes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,

    /// Where the application is in its life.
    #[serde(default)]
    pub phase: Phase,

    /// How many pods there are.
    #[serde(default)]
    pub replicas: i32,

    /// How many pods are available.
    #[serde(default)]
    pub available_replicas: i32,

    /// The label selector of the pods, for the scale subresource.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub selector: String,

    /// Whether the application is available and ready, and why not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<Condition>,
}

/// Where an application is in its life.
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
