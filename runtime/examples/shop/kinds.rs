//! The kinds of the operator.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::CustomResource;
use kube::api::ObjectMeta;
use serde::{Deserialize, Serialize};

/// What a shop is to be.
#[derive(Clone, CustomResource, Debug, Default, Deserialize, Serialize)]
#[kube(
    group = "shop.example.com",
    version = "v1",
    kind = "Shop",
    namespaced,
    status = "ShopStatus",
    schema = "disabled"
)]
#[serde(default)]
pub(crate) struct ShopSpec {
    /// What it says.
    pub(crate) greeting: String,
    /// The Secret with its credentials.
    pub(crate) credentials: Option<String>,
    /// More labels of its `ConfigMap`.
    pub(crate) labels: BTreeMap<String, String>,
    /// The port of its Service.
    pub(crate) port: Option<u16>,
    /// A namespace in which its greeting is, too.
    pub(crate) branch: Option<String>,
    /// Whether it has a `ClusterRole`.
    pub(crate) role: bool,
    /// The title of its Ticket, a type that is known only at run time.
    pub(crate) ticket: Option<String>,
    /// Its motto, unless somebody else has set one.
    pub(crate) motto: Option<String>,
    /// The zone whose nodes it counts.
    pub(crate) zone: Option<String>,
    /// Whether it counts pods, which nobody watches.
    pub(crate) pods: bool,
}

/// What a shop is.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ShopStatus {
    pub(crate) conditions: Vec<Condition>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cluster_ip: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) nodes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) shops: Option<usize>,
}

/// What a region is to be.
#[derive(Clone, CustomResource, Debug, Default, Deserialize, Serialize)]
#[kube(
    group = "shop.example.com",
    version = "v1",
    kind = "Region",
    schema = "disabled"
)]
#[serde(default)]
pub(crate) struct RegionSpec {
    /// The namespace of its map.
    pub(crate) namespace: String,
    /// How long it takes to draw the map.
    pub(crate) milliseconds: u64,
}

/// The metadata of a child.
pub(crate) fn named(name: impl Into<String>) -> ObjectMeta {
    ObjectMeta {
        name: Some(name.into()),
        ..ObjectMeta::default()
    }
}
