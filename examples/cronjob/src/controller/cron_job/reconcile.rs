//! Reconciles a `CronJob`. All requests are made here; the pure module `plan` computes what to do.

use std::sync::Arc;
use std::time::Duration;

use cronjob_api::batch::v1::CronJob;

use k8s_openapi::api::batch::v1::Job;
use kube::ResourceExt;
use rop_runtime::{Action, Context, Error, EventType, now};

use super::jobs::{BY_OWNER, Jobs};
use super::plan::Plan;
use super::{resources, status};
use crate::State;

// +kubebuilder:rbac:groups=batch.tutorial.kubebuilder.io,resources=cronjobs,verbs=list;watch
// +kubebuilder:rbac:groups=batch.tutorial.kubebuilder.io,resources=cronjobs/status,verbs=patch
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create;patch;delete

/// Brings one object to its desired state. On an error, the runtime retries with backoff, and writes
/// [`status::failed`] if the error is terminal or persists.
pub async fn reconcile(object: Arc<CronJob>, context: Context<State>) -> Result<Action, Error> {
    let object = &*object;
    let uid = object.uid().unwrap_or_default();
    let jobs = Jobs::of(context.cached::<Job>()?.by(&BY_OWNER, &uid));
    let now = now();
    let plan = Plan::new(object, &jobs, now)?;
    for name in &plan.replaced {
        context.delete::<Job>(object, name).await?;
    }
    if let Some(time) = plan.start {
        context.apply(object, resources::job(object, time)).await?;
    }
    if let Some(time) = plan.missed {
        let note = format!("missed the deadline for starting the Job scheduled at {time}");
        context.event(object, EventType::Warning, "MissedSchedule", note);
    }
    // Report before deleting: an old Job may be the only record of the last scheduled time.
    context.report(object, status::of(object, &plan)).await?;
    for name in &plan.old {
        context.delete::<Job>(object, name).await?;
    }
    Ok(plan.next.map_or_else(Action::await_change, |next| {
        let wait = Duration::try_from(next.duration_since(now));
        Action::requeue(wait.unwrap_or_default())
    }))
}

#[cfg(test)]
mod tests {
    use cronjob_api::batch::v1::CronJobStatus;

    use k8s_openapi::api::batch::v1::JobCondition;
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
    use rop_runtime::testing::FakeApi;

    use super::super::fixture::{api, current, fixture};
    use super::*;

    /// Returns an object that is scheduled at each new year, with the last Job years ago.
    fn overdue() -> CronJob {
        let mut object = fixture();
        object.spec.schedule = "0 0 1 1 *".to_owned();
        object.status = Some(CronJobStatus {
            last_schedule_time: Some(Time("2020-01-01T00:00:00Z".parse().unwrap())),
            ..CronJobStatus::default()
        });
        object
    }

    /// Finishes a Job, as the Job controller does.
    fn end(api: &FakeApi<State>, mut job: Job, condition: &str) {
        let status = job.status.get_or_insert_default();
        let conditions = status.conditions.get_or_insert_default();
        conditions.push(JobCondition {
            type_: condition.to_owned(),
            status: "True".to_owned(),
            ..JobCondition::default()
        });
        api.put(&job);
    }

    #[tokio::test]
    async fn a_job_starts_and_its_end_is_observed() {
        let api = api(&overdue());
        let action = api.reconcile("web").await.unwrap();
        assert!(action.requeue_after().is_some(), "until the next new year");
        let active = || {
            current(&api)
                .and_then(|object| object.status)
                .unwrap()
                .active
        };
        let name = active().pop().expect("a Job");
        let job: Job = api.get(&name).expect("a Job");
        let owners = job.metadata.owner_references.clone().unwrap_or_default();
        assert_eq!(owners[0].kind, "CronJob");

        end(&api, job, "Complete");
        api.reconcile("web").await.unwrap();
        assert_eq!(active(), [""; 0]);
        assert!(api.get::<Job>(&name).is_some(), "it is kept");
    }

    #[tokio::test]
    async fn a_second_reconcile_writes_nothing() {
        let api = api(&overdue());
        api.reconcile("web").await.unwrap();
        assert!(!api.writes().is_empty());
        api.reconcile("web").await.unwrap();
        assert_eq!(api.writes(), [""; 0]);
    }

    #[tokio::test]
    async fn a_finished_job_beyond_the_limit_is_deleted() {
        let mut object = overdue();
        object.spec.failed_jobs_history_limit = 0;
        let api = api(&object);
        api.reconcile("web").await.unwrap();
        let status = current(&api).and_then(|object| object.status).unwrap();
        let job: Job = api.get(&status.active[0]).expect("a Job");
        end(&api, job, "Failed");
        api.reconcile("web").await.unwrap();
        assert_eq!(api.get::<Job>(&status.active[0]), None);
        // The Job does not start again.
        api.reconcile("web").await.unwrap();
        assert_eq!(api.get::<Job>(&status.active[0]), None);
    }

    #[tokio::test]
    async fn a_transient_error_is_retried_and_not_reported() {
        for code in [409, 429, 500] {
            let api = api(&fixture());
            api.refuse_next("PATCH", "/status", code);
            let error = api.reconcile("web").await.unwrap_err();
            assert!(error.is_transient(), "{code}");
            assert_eq!(current(&api).and_then(|object| object.status), None);
        }
    }

    #[tokio::test]
    async fn an_invalid_schedule_is_reported() {
        let mut object = fixture();
        object.spec.schedule = "every day".to_owned();
        let api = api(&object);
        let error = api.reconcile("web").await.unwrap_err();
        assert!(!error.is_transient());
        let status = current(&api).and_then(|object| object.status).unwrap();
        let ready = &status.conditions[0];
        assert_eq!(
            (&*ready.status, &*ready.reason),
            ("False", "InvalidSchedule")
        );
    }
}
