//! The `AppService` API: runs one Pod.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

/// Desired state of an AppService.
#[derive(Clone, CustomResource, Debug, Deserialize, KubeSchema, PartialEq, Serialize)]
#[kube(
    group = "app.example.com",
    version = "v1alpha1",
    kind = "AppService",
    plural = "appservices",
    namespaced,
    doc = "Runs one Pod.",
    status = "AppServiceStatus",
    derive = "PartialEq",
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = r#".status.conditions[?(@.type=="Ready")].status"#
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    validation = Rule::new("self.metadata.name.size() <= 63")
        .message("metadata.name is also used as a pod label: must be no more than 63 characters")
)]
#[serde(rename_all = "camelCase")]
pub struct AppServiceSpec {
    /// Container image to run.
    #[serde(default = "default_image")]
    #[schemars(length(min = 1))]
    pub image: String,
}

/// Observed state of an AppService.
#[derive(Clone, Debug, Default, Deserialize, KubeSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AppServiceStatus {
    /// The most recent generation observed by the controller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,

    /// Conditions of the pod, such as Ready and Degraded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<Condition>,
}

fn default_image() -> String {
    "busybox:1.37".to_owned()
}
