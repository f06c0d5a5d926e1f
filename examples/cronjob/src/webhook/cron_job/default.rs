//! Defaulting of a `CronJob`.
//!
//! For a constant, prefer a default in the schema. This default depends on another field.

use cronjob_api::batch::v1::CronJob;

use rop_runtime::{now, webhook};

use crate::State;
use crate::controller::cron_job::schedule::Schedule;

// If the webhook cannot be called, `failurePolicy=fail` rejects the request.
// +kubebuilder:webhook:path=/mutate-batch-tutorial-kubebuilder-io-v1-cronjob,mutating=true,failurePolicy=fail,matchPolicy=equivalent,sideEffects=none,timeoutSeconds=5,groups=batch.tutorial.kubebuilder.io,resources=cronjobs,verbs=create;update,versions=v1,name=mcronjob-v1.kb.io

/// Sets the deadline to the interval of the schedule.
pub fn default(object: &mut CronJob, _: &webhook::Request<State>) {
    let spec = &mut object.spec;
    if spec.starting_deadline_seconds.is_none()
        && let Ok(schedule) = Schedule::parse(&spec.schedule)
    {
        let interval = schedule.interval(now());
        spec.starting_deadline_seconds = interval.map(|interval| interval.as_secs());
    }
}

#[cfg(test)]
mod tests {
    use rop_runtime::testing::sample;

    use super::*;

    fn deadline(schedule: &str, given: Option<i64>) -> Option<i64> {
        let mut object: CronJob = sample(
            include_str!("../../../config/samples/batch_v1_cronjob.yaml"),
            "web",
        );
        object.spec.schedule = schedule.to_owned();
        object.spec.starting_deadline_seconds = given;
        let request = webhook::Request::new(webhook::Operation::Create, State::for_tests());
        default(&mut object, &request);
        object.spec.starting_deadline_seconds
    }

    #[test]
    fn the_deadline_defaults_to_the_interval() {
        assert_eq!(deadline("*/5 * * * *", None), Some(300));
        assert_eq!(deadline("0 3 * * *", None), Some(24 * 3600));
    }

    #[test]
    fn a_deadline_or_an_invalid_schedule_is_kept() {
        assert_eq!(deadline("*/5 * * * *", Some(10)), Some(10));
        assert_eq!(deadline("every day", None), None);
    }
}
