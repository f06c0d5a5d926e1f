//! The `CronJob` API: runs Jobs on a schedule.

use k8s_openapi::api::batch::v1::JobTemplateSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::{CustomResource, KubeSchema};
use schemars::transform::{RecursiveTransform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

/// Desired state of a CronJob.
#[derive(Clone, CustomResource, Debug, Deserialize, KubeSchema, PartialEq, Serialize)]
#[kube(
    group = "batch.tutorial.kubebuilder.io",
    version = "v2",
    kind = "CronJob",
    plural = "cronjobs",
    namespaced,
    doc = "Runs Jobs on a schedule.",
    status = "CronJobStatus",
    derive = "PartialEq",
    validation = Rule::new("self.metadata.name.size() <= 52")
        .message("must be no more than 52 characters, because the names of its Jobs add the scheduled time"),
    printcolumn(name = "Minute", type_ = "string", json_path = ".spec.schedule.minute"),
    printcolumn(name = "Hour", type_ = "string", json_path = ".spec.schedule.hour"),
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
    /// Schedule of the Jobs, in UTC.
    pub schedule: Schedule,

    /// Deadline in seconds for starting a missed Job. Defaults to the interval of the schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub starting_deadline_seconds: Option<i64>,

    /// How to treat a Job that is due while another Job is running.
    #[serde(default)]
    pub concurrency_policy: ConcurrencyPolicy,

    /// Suspends new Jobs. Running Jobs continue.
    #[serde(default)]
    pub suspend: bool,

    /// Template of the Jobs. See `kubectl explain job`.
    #[schemars(transform = without_descriptions)]
    pub job_template: JobTemplateSpec,

    /// Number of completed Jobs to keep.
    #[serde(default = "three")]
    #[schemars(range(min = 0, max = 100))]
    pub successful_jobs_history_limit: u16,

    /// Number of failed Jobs to keep.
    #[serde(default = "one")]
    #[schemars(range(min = 0, max = 100))]
    pub failed_jobs_history_limit: u16,
}

/// Removes the descriptions of the pod template: they are five times as long as its schema.
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

/// Schedule of Jobs. A Job is due in every minute that matches all fields. An unset field matches always.
#[derive(Clone, Debug, Default, Deserialize, KubeSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Schedule {
    /// Minute, 0 to 59, as a number, list, range or step (`*/5`) in cron format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 50), regex(pattern = r"^(\*/)?[^\s*]+$"))]
    pub minute: Option<String>,

    /// Hour, 0 to 23.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 50), regex(pattern = r"^(\*/)?[^\s*]+$"))]
    pub hour: Option<String>,

    /// Day of the month, 1 to 31.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 50), regex(pattern = r"^(\*/)?[^\s*]+$"))]
    pub day_of_month: Option<String>,

    /// Month, 1 to 12 or `JAN` to `DEC`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 50), regex(pattern = r"^(\*/)?[^\s*]+$"))]
    pub month: Option<String>,

    /// Day of the week, 0 to 6 or `SUN` to `SAT`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 50), regex(pattern = r"^(\*/)?[^\s*]+$"))]
    pub day_of_week: Option<String>,
}

/// How to treat a Job that is due while another Job is running.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
pub enum ConcurrencyPolicy {
    /// Run both Jobs.
    #[default]
    Allow,
    /// Delay the new Job until its deadline.
    Forbid,
    /// Replace the running Job with the new one.
    Replace,
}

/// Observed state of a CronJob.
#[derive(Clone, Debug, Default, Deserialize, KubeSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CronJobStatus {
    /// The most recent generation observed by the controller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,

    /// Names of the running Jobs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Set)]
    pub active: Vec<String>,

    /// Time when a Job was last scheduled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_schedule_time: Option<Time>,

    /// Conditions of the object, such as Ready.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<Condition>,
}
