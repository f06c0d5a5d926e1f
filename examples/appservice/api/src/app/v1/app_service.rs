// SPDX-FileCopyrightText: developer
// SPDX-License-Identifier: Apache-2.0

//! The `AppService` API: a workload run by a Deployment, with a Service if it has ports.

use k8s_openapi::api::core::v1::{EnvVar, ResourceRequirements, ServicePort};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::{CustomResource, KubeSchema};
use schemars::{Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

/// Desired state of an AppService.
#[derive(Clone, CustomResource, Debug, Deserialize, KubeSchema, PartialEq, Serialize)]
#[kube(
    group = "app.example.com",
    version = "v1",
    kind = "AppService",
    plural = "appservices",
    namespaced,
    doc = "A workload run by a Deployment, with a Service if it has ports.",
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
    .message("metadata.name is also the name of a Service: must be no more than 63 characters, only a-z, 0-9 and '-', start with a letter and not end with '-'")
)]
#[serde(rename_all = "camelCase")]
pub struct AppServiceSpec {
    /// Desired number of pods.
    #[serde(default = "default_size")]
    #[schemars(range(min = 0))]
    pub size: i32,

    /// Container image to run.
    #[schemars(length(min = 1))]
    pub image: String,

    /// Ports of the Service. If empty, no Service is created. A `nodePort` makes it a NodePort Service.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "ports_schema")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["port".into(), "protocol".into()]))]
    pub ports: Vec<ServicePort>,

    /// Environment variables of the container.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub envs: Vec<EnvVar>,

    /// Compute resources of the container.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourceRequirements>,
}

/// Observed state of an AppService.
#[derive(Clone, Debug, Default, Deserialize, KubeSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AppServiceStatus {
    /// The most recent generation observed by the controller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,

    /// Number of pods.
    #[serde(default)]
    pub replicas: i32,

    /// Number of ready pods.
    #[serde(default)]
    pub ready_replicas: i32,

    /// Label selector of the pods, used by the scale subresource.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub selector: String,

    /// Conditions of the workload, such as Ready, Progressing and Degraded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<Condition>,
}

fn default_size() -> i32 {
    1
}

/// The keys of a map list must be required or have a default; the schema of `protocol` has none.
fn ports_schema(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = generator.subschema_for::<Vec<ServicePort>>();
    if let Some(protocol) = schema.pointer_mut("/items/properties/protocol") {
        protocol["default"] = "TCP".into();
    }
    schema
}
