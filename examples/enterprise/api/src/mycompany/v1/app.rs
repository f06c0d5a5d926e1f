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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::App;
    use crate::testing::check;

    fn app(name: &str, spec: &Value) -> Result<App, String> {
        check(&json!({ "metadata": { "name": name }, "spec": spec }), None)
    }

    #[test]
    fn the_sample_is_valid() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../config/samples/mycompany_v1_app.yaml"
        );
        let sample = std::fs::read_to_string(path).expect(path);
        let sample = serde_saphyr::from_str(&sample).expect(path);
        check::<App>(&sample, None).expect(path);
    }

    #[test]
    fn the_name_has_to_fit() {
        let spec = json!({ "image": "nginx", "replicas": 1 });
        for name in ["web", "web-2"] {
            app(name, &spec).expect(name);
        }
        for name in ["2nd-web", "web.shop", "Web", "web-", &"x".repeat(64)] {
            app(name, &spec).expect_err(name);
        }
    }

    #[test]
    fn what_is_not_said_has_a_default() {
        let app = app("web", &json!({ "image": "nginx", "replicas": 1 })).unwrap();
        let spec = json!({
            "image": "nginx",
            "replicas": 1,
            "port": 8080,
            "config": { "logLevel": "info" },
            "resources": { "requests": {}, "limits": {} },
        });
        assert_eq!(json!(app.spec), spec);
    }

    #[test]
    fn replicas_and_image_are_required_and_levels_are_known() {
        for spec in [
            json!({ "image": "nginx" }),
            json!({ "replicas": 1 }),
            json!({ "image": "nginx", "replicas": 1, "config": { "logLevel": "loud" } }),
        ] {
            app("web", &spec).expect_err(&spec.to_string());
        }
    }
}
