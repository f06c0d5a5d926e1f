//! Validation of a `CronJob`, in addition to its schema.
//!
//! For most rules, prefer CEL in the types. CEL cannot parse a schedule.

use cronjob_api::batch::v1::CronJob;

use rop_runtime::webhook;

use crate::State;
use crate::controller::cron_job::schedule::Schedule;

// If the webhook cannot be called, `failurePolicy=fail` rejects the request; `ignore` would admit it.
// +kubebuilder:webhook:path=/validate-batch-tutorial-kubebuilder-io-v1-cronjob,mutating=false,failurePolicy=fail,matchPolicy=equivalent,sideEffects=none,timeoutSeconds=5,groups=batch.tutorial.kubebuilder.io,resources=cronjobs,verbs=create;update,versions=v1,name=vcronjob-v1.kb.io

/// Returns the function for each operation. For `.delete(…)`, add `delete` to the `verbs` of the marker.
pub fn validator() -> webhook::Validator<CronJob, State> {
    webhook::Validator::new().create(create).update(update)
}

/// Rejects an invalid schedule.
fn create(object: &CronJob, _: &webhook::Request<State>) -> webhook::Review {
    let mut review = webhook::Review::new();
    let schedule = &object.spec.schedule;
    if let Err(error) = Schedule::parse(schedule) {
        review.invalid("spec.schedule", schedule, &error);
    }
    review
}

/// Checks the schedule only if it changes, so that objects created before the rule can still be updated.
fn update(
    object: &CronJob,
    before: &CronJob,
    request: &webhook::Request<State>,
) -> webhook::Review {
    if object.spec.schedule == before.spec.schedule {
        webhook::Review::new()
    } else {
        create(object, request)
    }
}

#[cfg(test)]
mod tests {
    use rop_runtime::testing::sample;

    use super::*;

    fn object(schedule: &str) -> CronJob {
        let mut object: CronJob = sample(
            include_str!("../../../config/samples/batch_v1_cronjob.yaml"),
            "web",
        );
        object.spec.schedule = schedule.to_owned();
        object
    }

    #[test]
    fn an_invalid_schedule_is_rejected() {
        let request = webhook::Request::new(webhook::Operation::Create, State::for_tests());
        assert!(create(&object("*/5 * * * *"), &request).is_allowed());
        let review = create(&object("every day"), &request).to_string();
        let message = "spec.schedule: Invalid value: \"every day\": ";
        assert!(review.starts_with(message), "{review}");
    }

    #[test]
    fn an_existing_schedule_is_not_checked_again() {
        let request = webhook::Request::new(webhook::Operation::Update, State::for_tests());
        let old = object("every day");
        assert!(update(&old, &old, &request).is_allowed());
        assert!(!update(&old, &object("0 3 * * *"), &request).is_allowed());
    }
}
