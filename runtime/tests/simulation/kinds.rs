//! The kinds of the simulated operator.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::core::{CustomResourceExt, ObjectMeta};
use kube::{CustomResource, Resource, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The namespace of the operator, which also has the children of cluster-scoped kinds.
pub(crate) const OPERATOR: &str = "operator";

/// An app: a Deployment, and what it needs.
#[derive(Clone, CustomResource, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[kube(
    group = "app.example.com",
    version = "v1",
    kind = "App",
    namespaced,
    status = "Status",
    scale(
        spec_replicas_path = ".spec.replicas",
        status_replicas_path = ".status.replicas"
    )
)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AppSpec {
    /// The image.
    #[schemars(length(min = 1))]
    pub(crate) image: String,
    /// The number of replicas.
    #[schemars(range(min = 1, max = 5))]
    pub(crate) replicas: i32,
    /// Whether an autoscaler sets the number of replicas instead.
    #[serde(default)]
    pub(crate) autoscaled: bool,
    /// The port of its Service, if it has one.
    #[schemars(range(min = 1, max = 100))]
    pub(crate) port: Option<i32>,
    /// The content of its `ConfigMap`, if it has one.
    pub(crate) greeting: Option<String>,
    /// The Secret that it needs.
    pub(crate) secret: Option<Needed>,
}

/// A Secret that an app refers to. One of them does not exist.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Needed {
    One,
    Other,
    Absent,
}

impl Needed {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::Other => "other",
            Self::Absent => "absent",
        }
    }
}

/// A vault, with children in two namespaces, which a cleanup removes.
#[derive(Clone, CustomResource, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[kube(
    group = "app.example.com",
    version = "v1",
    kind = "Vault",
    namespaced,
    status = "Status"
)]
pub(crate) struct VaultSpec {
    /// The content of its Secrets.
    pub(crate) content: String,
    /// Whether there is a copy in another namespace.
    #[serde(default)]
    pub(crate) copied: bool,
}

/// A zone, which is cluster-scoped.
#[derive(Clone, CustomResource, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[kube(
    group = "app.example.com",
    version = "v1",
    kind = "Zone",
    status = "Status"
)]
pub(crate) struct ZoneSpec {
    /// The number of its `ConfigMap`s.
    #[schemars(range(min = 1, max = 4))]
    pub(crate) maps: i32,
}

/// The status of all three kinds.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Status {
    /// The conditions.
    #[serde(default)]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub(crate) conditions: Vec<Condition>,
}

pub(crate) fn crds() -> [CustomResourceDefinition; 3] {
    [App::crd(), Vault::crd(), Zone::crd()]
}

/// The objects of the user.
pub(crate) fn objects() -> Vec<Value> {
    let app = AppSpec {
        image: "nginx".to_owned(),
        replicas: 2,
        autoscaled: true,
        port: Some(80),
        greeting: Some("hello".to_owned()),
        secret: Some(Needed::One),
    };
    let vault = VaultSpec {
        content: "gold".to_owned(),
        copied: true,
    };
    let named = |mut object: Value| {
        object["metadata"]["namespace"] = json!("shop");
        object
    };
    vec![
        named(json!(App::new("app", app))),
        named(json!(Vault::new("vault", vault))),
        json!(Zone::new("zone", ZoneSpec { maps: 2 })),
    ]
}

/// The objects that exist from the beginning.
pub(crate) fn given() -> Vec<Value> {
    let secret = |name: &str| json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": name, "namespace": "shop" } });
    let vaults =
        json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "vaults" } });
    vec![secret("one"), secret("other"), vaults]
}

/// Whether a child names an object as one of its owners.
pub(crate) fn is_owned(child: &impl Resource, owner: &impl Resource) -> bool {
    let uid = owner.meta().uid.as_deref();
    let mut references = child.owner_references().iter();
    references.any(|reference| Some(&*reference.uid) == uid)
}

/// The metadata of a child.
pub(crate) fn named(name: impl Into<String>) -> ObjectMeta {
    ObjectMeta {
        name: Some(name.into()),
        ..ObjectMeta::default()
    }
}
