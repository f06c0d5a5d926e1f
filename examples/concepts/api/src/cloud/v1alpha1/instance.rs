//! The `Instance` API: a virtual machine in a cloud.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

/// Desired state of an Instance.
#[derive(Clone, CustomResource, Debug, Deserialize, KubeSchema, PartialEq, Serialize)]
#[kube(
    group = "cloud.example.com",
    version = "v1alpha1",
    kind = "Instance",
    plural = "instances",
    namespaced,
    doc = "A virtual machine in a cloud.",
    status = "InstanceStatus",
    derive = "PartialEq",
    printcolumn(name = "Zone", type_ = "string", json_path = ".spec.zoneID"),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = r#".status.conditions[?(@.type=="Ready")].status"#
    ),
    printcolumn(
        name = "Age",
        type_ = "date",
        json_path = ".metadata.creationTimestamp"
    )
)]
#[x_kube(validation = Rule::new("self.zoneID.startsWith(self.regionID + '-')")
    .message("zoneID must be a zone of regionID"))]
#[serde(rename_all = "camelCase")]
pub struct InstanceSpec {
    /// ID of the region of the instance.
    #[serde(rename = "regionID")]
    pub region_id: String,

    /// ID of the availability zone of the instance.
    #[serde(rename = "zoneID")]
    pub zone_id: String,

    /// ID of the VPC.
    #[serde(rename = "vpcID")]
    pub vpc_id: String,

    /// ID of the subnet in the VPC.
    #[serde(rename = "subnetID")]
    pub subnet_id: String,
}

/// Observed state of an Instance.
#[derive(Clone, Debug, Default, Deserialize, KubeSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InstanceStatus {
    /// The most recent generation observed by the controller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,

    /// Conditions of the object, such as Ready.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<Condition>,
}
