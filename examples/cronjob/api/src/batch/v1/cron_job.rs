//! `CronJob`: Jobs that run on a schedule.

use k8s_openapi::api::batch::v1::JobTemplateSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::{CustomResource, KubeSchema};
use schemars::transform::{RecursiveTransform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

/// What a `CronJob` should be.
#[derive(Clone, CustomResource, Debug, Deserialize, KubeSchema, PartialEq, Serialize)]
#[kube(
    group = "batch.tutorial.kubebuilder.io",
    version = "v1",
    kind = "CronJob",
    plural = "cronjobs",
    namespaced,
    doc = "Jobs that run on a schedule.",
    status = "CronJobStatus",
    derive = "PartialEq",
    validation = Rule::new("self.metadata.name.size() <= 52")
        .message("must have 52 characters at most: a Job adds its time"),
    printcolumn(name = "Schedule", type_ = "string", json_path = ".spec.schedule"),
    printcolumn(name = "Suspend", type_ = "boolean", json_path = ".spec.suspend"),
    printcolumn(name = "Last Schedule", type_ = "date", json_path = ".status.lastScheduleTime"),
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
#[serde(rename_all = "camelCase")]
pub struct CronJobSpec {
    /// When a Job is due, as cron writes it and in UTC: minute, hour, day of the month, month, day of the week.
    #[schemars(length(min = 1, max = 254))]
    pub schedule: String,

    /// How many seconds late a Job may start. A webhook sets the time between two Jobs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub starting_deadline_seconds: Option<i64>,

    /// What happens if a Job is due while another one runs.
    #[serde(default)]
    pub concurrency_policy: ConcurrencyPolicy,

    /// Whether no further Job starts. Those that run go on.
    #[serde(default)]
    pub suspend: bool,

    /// The Job, as `kubectl explain job` describes it.
    #[schemars(transform = without_descriptions)]
    pub job_template: JobTemplateSpec,

    /// How many Jobs that completed are kept.
    #[serde(default = "three")]
    #[schemars(range(min = 0, max = 100))]
    pub successful_jobs_history_limit: u16,

    /// How many Jobs that failed are kept.
    #[serde(default = "one")]
    #[schemars(range(min = 0, max = 100))]
    pub failed_jobs_history_limit: u16,
}

/// The descriptions of a pod's fields are five times as long as its schema.
fn without_descriptions(schema: &mut Schema) {
    let mut remove = RecursiveTransform(|part: &mut Schema| {
        part.remove("description");
    });
    transform_subschemas(&mut remove, schema);
}

fn three() -> u16 {
    3
}

fn one() -> u16 {
    1
}

/// What happens if a Job is due while another one runs.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
pub enum ConcurrencyPolicy {
    /// Both run.
    #[default]
    Allow,
    /// The new one waits until its deadline.
    Forbid,
    /// The new one takes the place of the other.
    Replace,
}

/// What was last seen of a `CronJob`.
#[derive(Clone, Debug, Default, Deserialize, KubeSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CronJobStatus {
    /// The generation of the object that this status describes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,

    /// The names of the Jobs that run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Set)]
    pub active: Vec<String>,

    /// When the last Job was due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_schedule_time: Option<Time>,

    /// Whether the object is as it should be, and why not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<Condition>,
}
