//! `Instance`: a machine that a cloud runs.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

/// What an `Instance` should be.
#[derive(Clone, CustomResource, Debug, Deserialize, KubeSchema, PartialEq, Serialize)]
#[kube(
    group = "cloud.example.com",
    version = "v1alpha1",
    kind = "Instance",
    plural = "instances",
    namespaced,
    doc = "A machine that a cloud runs.",
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
    .message("the zone is not one of the region"))]
#[serde(rename_all = "camelCase")]
pub struct InstanceSpec {
    /// The id of the region that the instance lives in.
    #[serde(rename = "regionID")]
    pub region_id: String,

    /// The id of the availability zone that the instance runs in.
    #[serde(rename = "zoneID")]
    pub zone_id: String,

    /// The id of the user's VPC.
    #[serde(rename = "vpcID")]
    pub vpc_id: String,

    /// The id of the VPC's subnet.
    #[serde(rename = "subnetID")]
    pub subnet_id: String,
}

/// What was last seen of an `Instance`.
#[derive(Clone, Debug, Default, Deserialize, KubeSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InstanceStatus {
    /// The generation of the object that this status describes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,

    /// Whether the object is as it should be, and why not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<Condition>,
}
