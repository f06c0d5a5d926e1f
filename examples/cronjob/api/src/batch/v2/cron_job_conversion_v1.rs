//! Conversion of `CronJob` between `v1` and `v2`.
//!
//! A conversion must not fail: a single failure breaks every list and watch of the kind. Fields that
//! the other version lacks are kept in an annotation and restored; the round-trip test lists them.

use super::cron_job as v2;
use crate::batch::v1::cron_job as v1;

/// Maximum length of a schedule field in `v2`.
const LONGEST: usize = 50;

impl From<v1::CronJob> for v2::CronJob {
    fn from(value: v1::CronJob) -> Self {
        Self {
            metadata: value.metadata,
            spec: value.spec.into(),
            status: value.status.map(Into::into),
        }
    }
}

impl From<v2::CronJob> for v1::CronJob {
    fn from(value: v2::CronJob) -> Self {
        Self {
            metadata: value.metadata,
            spec: value.spec.into(),
            status: value.status.map(Into::into),
        }
    }
}

impl From<v1::CronJobSpec> for v2::CronJobSpec {
    fn from(value: v1::CronJobSpec) -> Self {
        Self {
            schedule: structured(&value.schedule),
            starting_deadline_seconds: value.starting_deadline_seconds,
            concurrency_policy: value.concurrency_policy.into(),
            suspend: value.suspend,
            job_template: value.job_template,
            successful_jobs_history_limit: value.successful_jobs_history_limit,
            failed_jobs_history_limit: value.failed_jobs_history_limit,
        }
    }
}

impl From<v2::CronJobSpec> for v1::CronJobSpec {
    fn from(value: v2::CronJobSpec) -> Self {
        Self {
            schedule: text(value.schedule),
            starting_deadline_seconds: value.starting_deadline_seconds,
            concurrency_policy: value.concurrency_policy.into(),
            suspend: value.suspend,
            job_template: value.job_template,
            successful_jobs_history_limit: value.successful_jobs_history_limit,
            failed_jobs_history_limit: value.failed_jobs_history_limit,
        }
    }
}

/// Parses the five cron fields. If `v2` cannot represent the schedule, returns an empty one.
fn structured(schedule: &str) -> v2::Schedule {
    let fields: Vec<_> = schedule.split_ascii_whitespace().map(field).collect();
    let Ok([minute, hour, day_of_month, month, day_of_week]) = <[_; 5]>::try_from(fields) else {
        return v2::Schedule::default();
    };
    let whole = || {
        Some(v2::Schedule {
            minute: minute?,
            hour: hour?,
            day_of_month: day_of_month?,
            month: month?,
            day_of_week: day_of_week?,
        })
    };
    whole().unwrap_or_default()
}

/// Converts a field, or returns `None` if `v2` does not allow it.
fn field(field: &str) -> Option<Option<String>> {
    let rest = field.strip_prefix("*/").unwrap_or(field);
    match field {
        "*" => Some(None),
        _ if rest.is_empty() || rest.contains('*') || field.chars().count() > LONGEST => None,
        _ => Some(Some(field.to_owned())),
    }
}

/// Formats the schedule in cron format.
fn text(schedule: v2::Schedule) -> String {
    let v2::Schedule {
        minute,
        hour,
        day_of_month,
        month,
        day_of_week,
    } = schedule;
    [minute, hour, day_of_month, month, day_of_week]
        .map(|field| field.unwrap_or_else(|| "*".to_owned()))
        .join(" ")
}

impl From<v1::ConcurrencyPolicy> for v2::ConcurrencyPolicy {
    fn from(value: v1::ConcurrencyPolicy) -> Self {
        match value {
            v1::ConcurrencyPolicy::Allow => Self::Allow,
            v1::ConcurrencyPolicy::Forbid => Self::Forbid,
            v1::ConcurrencyPolicy::Replace => Self::Replace,
        }
    }
}

impl From<v2::ConcurrencyPolicy> for v1::ConcurrencyPolicy {
    fn from(value: v2::ConcurrencyPolicy) -> Self {
        match value {
            v2::ConcurrencyPolicy::Allow => Self::Allow,
            v2::ConcurrencyPolicy::Forbid => Self::Forbid,
            v2::ConcurrencyPolicy::Replace => Self::Replace,
        }
    }
}

impl From<v1::CronJobStatus> for v2::CronJobStatus {
    fn from(value: v1::CronJobStatus) -> Self {
        Self {
            observed_generation: value.observed_generation,
            active: value.active,
            last_schedule_time: value.last_schedule_time,
            conditions: value.conditions,
        }
    }
}

impl From<v2::CronJobStatus> for v1::CronJobStatus {
    fn from(value: v2::CronJobStatus) -> Self {
        Self {
            observed_generation: value.observed_generation,
            active: value.active,
            last_schedule_time: value.last_schedule_time,
            conditions: value.conditions,
        }
    }
}
