//! Computes the status of a `CronJob` from its plan or from an error.

use cronjob_api::batch::v1::{CronJob, CronJobStatus};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use rop_runtime::Error;
use rop_runtime::conditions::{Conditions, READY};

use super::plan::Plan;

/// Returns the status after a successful reconcile.
#[must_use]
pub fn of(object: &CronJob, plan: &Plan) -> CronJobStatus {
    let (reason, message) = if object.spec.suspend {
        ("Suspended", "new Jobs are suspended")
    } else {
        ("Scheduled", "Jobs run on schedule")
    };
    CronJobStatus {
        active: plan.active.clone(),
        last_schedule_time: plan.last.map(Time),
        ..report(object, true, reason, message)
    }
}

/// Returns the status after a terminal error, or a transient error that persists over several retries.
#[must_use]
pub fn failed(object: &CronJob, error: &Error) -> CronJobStatus {
    report(object, false, error.reason(), &error.to_string())
}

/// Returns the last status with an updated condition.
fn report(object: &CronJob, ready: bool, reason: &str, message: &str) -> CronJobStatus {
    let generation = object.metadata.generation;
    let mut status = object.status.clone().unwrap_or_default();
    let mut conditions = Conditions::of(&status.conditions, generation);
    conditions.set(READY, ready, reason, message);
    status.observed_generation = generation;
    status.conditions = conditions.into();
    status
}

#[cfg(test)]
mod tests {
    use super::super::fixture::fixture;
    use super::*;

    #[test]
    fn the_status_reports_active_jobs_and_suspension() {
        let mut object = fixture();
        object.metadata.generation = Some(2);
        let plan = Plan {
            active: vec!["web-1".to_owned()],
            ..Plan::default()
        };
        let reason = |object: &CronJob| of(object, &plan).conditions[0].reason.clone();
        assert_eq!(of(&object, &plan).active, ["web-1"]);
        assert_eq!(of(&object, &plan).observed_generation, Some(2));
        assert_eq!(reason(&object), "Scheduled");
        object.spec.suspend = true;
        assert_eq!(reason(&object), "Suspended");
    }

    #[test]
    fn the_status_is_stable() {
        let mut object = fixture();
        object.status = Some(of(&object, &Plan::default()));
        assert_eq!(object.status, Some(of(&object, &Plan::default())));
    }

    #[test]
    fn an_error_is_reported() {
        let status = failed(&fixture(), &Error::terminal("Invalid", "no"));
        let ready = &status.conditions[0];
        assert_eq!(
            (&*ready.status, &*ready.reason, &*ready.message),
            ("False", "Invalid", "no")
        );
    }
}
