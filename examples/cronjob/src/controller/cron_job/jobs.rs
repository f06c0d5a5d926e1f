//! The Jobs of a `CronJob`, by state, with their scheduled times.

use std::sync::Arc;

use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::jiff::Timestamp;
use rop_runtime::Index;

/// The annotation with the scheduled time of a Job.
pub const SCHEDULED_AT: &str = "batch.tutorial.kubebuilder.io/scheduled-at";

/// Indexes Jobs by the UID of their controller.
pub const BY_OWNER: Index<Job> = Index::new("owner", |job| {
    let owners = job.metadata.owner_references.iter().flatten();
    let controllers = owners.filter(|owner| owner.controller == Some(true));
    controllers.map(|owner| owner.uid.clone()).collect()
});

/// The Jobs of a `CronJob`, from the oldest to the newest.
#[derive(Default)]
pub struct Jobs {
    /// Jobs that are running or pending.
    pub active: Vec<Arc<Job>>,
    /// Completed Jobs.
    pub successful: Vec<Arc<Job>>,
    /// Failed Jobs.
    pub failed: Vec<Arc<Job>>,
}

impl Jobs {
    /// Groups Jobs by their state.
    #[must_use]
    pub fn of(mut jobs: Vec<Arc<Job>>) -> Self {
        jobs.sort_by_key(|job| (scheduled_at(job), job.metadata.name.clone()));
        let mut sorted = Self::default();
        for job in jobs {
            let group = if has(&job, "Complete") {
                &mut sorted.successful
            } else if has(&job, "Failed") {
                &mut sorted.failed
            } else {
                &mut sorted.active
            };
            group.push(job);
        }
        sorted
    }

    /// Returns all Jobs.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Job>> {
        let ended = self.successful.iter().chain(&self.failed);
        ended.chain(&self.active)
    }
}

/// Returns the scheduled time of a Job.
#[must_use]
pub fn scheduled_at(job: &Job) -> Option<Timestamp> {
    let annotations = job.metadata.annotations.as_ref()?;
    annotations.get(SCHEDULED_AT)?.parse().ok()
}

fn has(job: &Job, condition: &str) -> bool {
    let conditions = job.status.iter().flat_map(|status| &status.conditions);
    conditions
        .flatten()
        .any(|one| one.type_ == condition && one.status == "True")
}
