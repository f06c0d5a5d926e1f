//! The Job for a scheduled time.

use cronjob_api::batch::v1::CronJob;

use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::jiff::Timestamp;
use kube::ResourceExt;

use super::jobs::SCHEDULED_AT;

/// Returns the Job for a scheduled time.
#[must_use]
pub fn job(object: &CronJob, time: Timestamp) -> Job {
    let template = object.spec.job_template.clone();
    let mut metadata = template.metadata.unwrap_or_default();
    metadata.name = Some(name(object, time));
    let annotations = metadata.annotations.get_or_insert_default();
    annotations.insert(SCHEDULED_AT.to_owned(), time.to_string());
    Job {
        metadata,
        spec: template.spec,
        ..Job::default()
    }
}

/// Returns the name of the Job. It is unique for each scheduled time, so that a Job runs only once.
#[must_use]
pub fn name(object: &CronJob, time: Timestamp) -> String {
    format!("{}-{}", object.name_any(), time.as_second() / 60)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::fixture;
    use super::*;

    #[test]
    fn the_job_follows_the_template() {
        let job = job(&fixture(), "2026-03-01T03:00:00Z".parse().unwrap());
        assert_eq!(job.metadata.name.as_deref(), Some("web-29538900"));
        let annotations = job.metadata.annotations.unwrap();
        assert_eq!(annotations[SCHEDULED_AT], "2026-03-01T03:00:00Z");
        assert_eq!(job.spec, fixture().spec.job_template.spec);
    }
}
