// SPDX-FileCopyrightText: developer
// SPDX-License-Identifier: Apache-2.0

//! `AppService`: a workload that runs as a Deployment, behind a Service where it has ports.

use k8s_openapi::api::core::v1::{EnvVar, ResourceRequirements, ServicePort};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::{CustomResource, KubeSchema};
use schemars::{Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

/// What an `AppService` should be.
#[derive(Clone, CustomResource, Debug, Deserialize, KubeSchema, PartialEq, Serialize)]
#[kube(
    group = "app.example.com",
    version = "v1",
    kind = "AppService",
    plural = "appservices",
    namespaced,
    doc = "A workload that runs as a Deployment, behind a Service where it has ports.",
    status = "AppServiceStatus",
    derive = "PartialEq",
    scale(
        spec_replicas_path = ".spec.size",
        status_replicas_path = ".status.replicas",
        label_selector_path = ".status.selector"
    ),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = r#".status.conditions[?(@.type=="Ready")].status"#
    ),
    printcolumn(name = "Replicas", type_ = "integer", json_path = ".status.readyReplicas"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    validation = Rule::new(
        "self.metadata.name.size() <= 63 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')"
    )
    .message("the name is also a Service's: at most 63 of a-z, 0-9 and '-', starting with a letter and not ending with '-'")
)]
#[serde(rename_all = "camelCase")]
pub struct AppServiceSpec {
    /// How many pods run.
    #[serde(default = "default_size")]
    #[schemars(range(min = 0))]
    pub size: i32,

    /// The container image to run.
    #[schemars(length(min = 1))]
    pub image: String,

    /// The ports to serve. With none there is no Service; with a `nodePort` it is of type `NodePort`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "ports_schema")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["port".into(), "protocol".into()]))]
    pub ports: Vec<ServicePort>,

    /// The environment of the container.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub envs: Vec<EnvVar>,

    /// The compute resources of the container.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourceRequirements>,
}

/// What was last seen of an `AppService`.
#[derive(Clone, Debug, Default, Deserialize, KubeSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AppServiceStatus {
    /// The generation of the object that this status describes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,

    /// How many pods there are.
    #[serde(default)]
    pub replicas: i32,

    /// How many pods are ready.
    #[serde(default)]
    pub ready_replicas: i32,

    /// The label selector of the pods, for the scale subresource.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub selector: String,

    /// Whether the workload is ready, and why not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<Condition>,
}

fn default_size() -> i32 {
    1
}

/// A list's keys must be required or have a default, and `protocol` comes without one.
fn ports_schema(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = generator.subschema_for::<Vec<ServicePort>>();
    if let Some(protocol) = schema.pointer_mut("/items/properties/protocol") {
        protocol["default"] = "TCP".into();
    }
    schema
}
