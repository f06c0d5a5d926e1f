//! Computes what to do for a `CronJob` at a given time. It makes no requests, so tests can set the clock.

use cronjob_api::batch::v1::CronJob;
use cronjob_api::batch::v1::cron_job::ConcurrencyPolicy;

use k8s_openapi::jiff::{SignedDuration, Timestamp};
use kube::ResourceExt;
use rop_runtime::Error;

use super::jobs::{Jobs, scheduled_at};
use super::resources;
use super::schedule::Schedule;

/// What to do for a `CronJob`.
#[derive(Debug, Default, PartialEq)]
pub struct Plan {
    /// Names of the running Jobs to replace.
    pub replaced: Vec<String>,
    /// Scheduled time of the Job to start.
    pub start: Option<Timestamp>,
    /// Scheduled time of a Job that missed its deadline.
    pub missed: Option<Timestamp>,
    /// Scheduled time of the last started Job.
    pub last: Option<Timestamp>,
    /// Names of the Jobs that will be running.
    pub active: Vec<String>,
    /// Names of the finished Jobs to delete.
    pub old: Vec<String>,
    /// Time of the next reconcile.
    pub next: Option<Timestamp>,
}

impl Plan {
    /// Returns the plan for an object and its Jobs.
    ///
    /// # Errors
    /// Fails if the schedule is invalid.
    pub fn new(object: &CronJob, jobs: &Jobs, now: Timestamp) -> Result<Self, Error> {
        let spec = &object.spec;
        let schedule = Schedule::parse(&spec.schedule).map_err(|error| {
            Error::terminal("InvalidSchedule", format!("`{}`: {error}", spec.schedule))
        })?;
        let status = object.status.as_ref();
        let reported = status.and_then(|status| status.last_schedule_time.as_ref());
        let started = jobs.all().filter_map(|job| scheduled_at(job));
        let mut plan = Self {
            last: started.chain(reported.map(|time| time.0)).max(),
            active: jobs.active.iter().map(|job| job.name_any()).collect(),
            old: old(jobs, object),
            ..Self::default()
        };
        if spec.suspend {
            return Ok(plan);
        }
        plan.next = schedule.next(now);
        let created = object.metadata.creation_timestamp.as_ref();
        let since = plan.last.or(created.map(|time| time.0));
        let due = schedule
            .last(now)
            .filter(|due| since.is_none_or(|since| *due > since));
        let Some(due) = due else {
            return Ok(plan);
        };
        let deadline = spec
            .starting_deadline_seconds
            .map(SignedDuration::from_secs);
        if deadline.is_some_and(|deadline| now.duration_since(due) > deadline) {
            plan.missed = Some(due);
            return Ok(plan);
        }
        match spec.concurrency_policy {
            // The end of the running Job triggers a reconcile.
            ConcurrencyPolicy::Forbid if !plan.active.is_empty() => return Ok(plan),
            ConcurrencyPolicy::Replace => plan.replaced = std::mem::take(&mut plan.active),
            ConcurrencyPolicy::Allow | ConcurrencyPolicy::Forbid => {}
        }
        plan.start = Some(due);
        plan.last = Some(due);
        plan.active.push(resources::name(object, due));
        Ok(plan)
    }
}

/// Returns the finished Jobs beyond the history limits.
fn old(jobs: &Jobs, object: &CronJob) -> Vec<String> {
    let spec = &object.spec;
    let groups = [
        (&jobs.successful, spec.successful_jobs_history_limit),
        (&jobs.failed, spec.failed_jobs_history_limit),
    ];
    let old = groups.into_iter().flat_map(|(jobs, limit)| {
        let surplus = jobs.len().saturating_sub(limit.into());
        jobs[..surplus].iter().map(|job| job.name_any())
    });
    old.collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use k8s_openapi::api::batch::v1::{Job, JobCondition, JobStatus};
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

    use super::super::fixture::fixture;
    use super::*;

    fn at(time: &str) -> Timestamp {
        format!("2026-03-01T{time}Z").parse().unwrap()
    }

    /// Returns an object with an hourly schedule, created at half past nine.
    fn hourly() -> CronJob {
        let mut object = fixture();
        object.spec.schedule = "0 * * * *".to_owned();
        object.metadata.creation_timestamp = Some(Time(at("09:30:00")));
        object
    }

    /// Returns the Job for a scheduled time, running or with this condition.
    fn job(object: &CronJob, time: &str, condition: Option<&str>) -> Arc<Job> {
        let mut job = resources::job(object, at(time));
        let condition = condition.map(|type_| JobCondition {
            type_: type_.to_owned(),
            status: "True".to_owned(),
            ..JobCondition::default()
        });
        job.status = Some(JobStatus {
            conditions: condition.map(|condition| vec![condition]),
            ..JobStatus::default()
        });
        Arc::new(job)
    }

    fn plan(object: &CronJob, jobs: &[Arc<Job>], now: &str) -> Plan {
        Plan::new(object, &Jobs::of(jobs.to_vec()), at(now)).unwrap()
    }

    #[test]
    fn a_job_starts_when_it_is_due() {
        let object = hourly();
        let before = plan(&object, &[], "09:59:59");
        assert_eq!((before.start, before.next), (None, Some(at("10:00:00"))));
        let due = plan(&object, &[], "10:00:00");
        assert_eq!(
            (due.start, due.next),
            (Some(at("10:00:00")), Some(at("11:00:00")))
        );
        assert_eq!(due.active, [resources::name(&object, at("10:00:00"))]);
    }

    #[test]
    fn a_job_starts_only_once() {
        let mut object = hourly();
        let running = [job(&object, "10:00:00", None)];
        assert_eq!(plan(&object, &running, "10:00:01").start, None);
        // Not even after its Job was deleted.
        object.status.get_or_insert_default().last_schedule_time = Some(Time(at("10:00:00")));
        assert_eq!(plan(&object, &[], "10:00:02").start, None);
    }

    #[test]
    fn the_last_missed_job_starts() {
        assert_eq!(plan(&hourly(), &[], "14:20:00").start, Some(at("14:00:00")));
    }

    #[test]
    fn a_job_is_missed_after_its_deadline() {
        let mut object = hourly();
        object.spec.starting_deadline_seconds = Some(60);
        assert_eq!(plan(&object, &[], "10:01:00").start, Some(at("10:00:00")));
        let late = plan(&object, &[], "10:01:01");
        assert_eq!((late.start, late.missed), (None, Some(at("10:00:00"))));
        assert_eq!(late.next, Some(at("11:00:00")));
    }

    #[test]
    fn the_policy_decides_about_concurrent_jobs() {
        let mut object = hourly();
        let running = [job(&object, "10:00:00", None)];
        let [first, second] =
            ["10:00:00", "11:00:00"].map(|time| resources::name(&object, at(time)));

        let allowed = plan(&object, &running, "11:00:00");
        assert_eq!(allowed.active, [first.clone(), second.clone()]);

        object.spec.concurrency_policy = ConcurrencyPolicy::Forbid;
        let forbidden = plan(&object, &running, "11:00:00");
        assert_eq!(
            (forbidden.start, &forbidden.active),
            (None, &vec![first.clone()])
        );
        let ended = [job(&object, "10:00:00", Some("Complete"))];
        assert_eq!(
            plan(&object, &ended, "11:10:00").start,
            Some(at("11:00:00"))
        );

        object.spec.concurrency_policy = ConcurrencyPolicy::Replace;
        let replacing = plan(&object, &running, "11:00:00");
        assert_eq!(
            (replacing.replaced, replacing.active),
            (vec![first], vec![second])
        );
    }

    #[test]
    fn a_suspended_object_starts_no_job() {
        let mut object = hourly();
        object.spec.suspend = true;
        let suspended = plan(&object, &[], "14:00:00");
        assert_eq!((suspended.start, suspended.next), (None, None));
    }

    #[test]
    fn the_oldest_finished_jobs_are_deleted() {
        let object = hourly();
        let jobs: Vec<_> = [
            ("01:00:00", Some("Complete")),
            ("02:00:00", Some("Failed")),
            ("03:00:00", Some("Complete")),
            ("04:00:00", Some("Complete")),
            ("05:00:00", Some("Failed")),
            ("06:00:00", Some("Complete")),
            ("07:00:00", None),
        ]
        .map(|(time, condition)| job(&object, time, condition))
        .into();
        let old = ["01:00:00", "02:00:00"].map(|time| resources::name(&object, at(time)));
        assert_eq!(plan(&object, &jobs, "07:30:00").old, old);
    }
}
