//! `AppService`: an object that runs one pod.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

/// What an `AppService` should be.
#[derive(Clone, CustomResource, Debug, Deserialize, KubeSchema, PartialEq, Serialize)]
#[kube(
    group = "app.example.com",
    version = "v1alpha1",
    kind = "AppService",
    plural = "appservices",
    namespaced,
    doc = "An object that runs one pod.",
    status = "AppServiceStatus",
    derive = "PartialEq",
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = r#".status.conditions[?(@.type=="Ready")].status"#
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    validation = Rule::new("self.metadata.name.size() <= 63")
        .message("the name is also a label of the pod: at most 63 characters")
)]
#[serde(rename_all = "camelCase")]
pub struct AppServiceSpec {
    /// The container image to run.
    #[serde(default = "default_image")]
    #[schemars(length(min = 1))]
    pub image: String,
}

/// What was last seen of an `AppService`.
#[derive(Clone, Debug, Default, Deserialize, KubeSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AppServiceStatus {
    /// The generation of the object that this status describes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,

    /// Whether the pod is ready, and why not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<Condition>,
}

fn default_image() -> String {
    "busybox:1.37".to_owned()
}
