//! The `Tenant` API: a team with a namespace for each of its environments.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Desired state of a Tenant.
#[derive(Clone, CustomResource, Debug, Deserialize, KubeSchema, PartialEq, Serialize)]
#[kube(
    group = "platform.example.com",
    version = "v1",
    kind = "Tenant",
    plural = "tenants",
    doc = "A team with a namespace for each of its environments.",
    status = "TenantStatus",
    derive = "PartialEq",
    printcolumn(name = "Account", type_ = "string", json_path = ".spec.account"),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = r#".status.conditions[?(@.type=="Ready")].status"#
    ),
    printcolumn(
        name = "Age",
        type_ = "date",
        json_path = ".metadata.creationTimestamp"
    ),
    validation = Rule::new(
        "self.metadata.name.size() <= 42 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')"
    )
    .message("metadata.name is a prefix of namespace names: must be no more than 42 of a-z, 0-9 and '-', start with a letter and not end with '-'")
)]
#[serde(rename_all = "camelCase")]
pub struct TenantSpec {
    /// Account that pays for the tenant. Immutable.
    #[schemars(length(min = 1, max = 40), regex(pattern = "^[a-z0-9-]+$"))]
    #[x_kube(validation = Rule::new("self == oldSelf").message("field is immutable"))]
    pub account: String,

    /// Group whose members get the role `edit` in the namespaces.
    #[schemars(length(min = 1, max = 253))]
    pub group: String,

    /// Image pull secret, which is copied to each namespace.
    pub pull_secret: SecretReference,

    /// Environments of the tenant. Each has a namespace `<tenant>-<environment>`.
    #[schemars(length(min = 1, max = 8))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub environments: Vec<Environment>,
}

/// Reference to a Secret in any namespace.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct SecretReference {
    /// Namespace of the Secret.
    #[schemars(length(min = 1, max = 63))]
    pub namespace: String,

    /// Name of the Secret.
    #[schemars(length(min = 1, max = 253))]
    pub name: String,
}

/// An environment of a tenant.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Environment {
    /// Name of the environment, such as `dev`.
    #[schemars(length(min = 1, max = 20), regex(pattern = "^[a-z0-9]+$"))]
    pub name: String,

    /// Maximum number of pods.
    #[serde(default = "default_pods")]
    #[schemars(range(min = 0, max = 10000))]
    pub pods: u32,
}

/// Observed state of a Tenant.
#[derive(Clone, Debug, Default, Deserialize, KubeSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TenantStatus {
    /// The most recent generation observed by the controller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,

    /// Conditions of the object, such as Ready.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<Condition>,
}

fn default_pods() -> u32 {
    20
}
