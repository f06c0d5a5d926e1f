//! The Jobs of a `CronJob`: which runs, which has ended, and when each was due.

use std::sync::Arc;

use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::jiff::Timestamp;
use rop_runtime::Index;

/// The annotation of a Job that says when it was due.
pub const SCHEDULED_AT: &str = "batch.tutorial.kubebuilder.io/scheduled-at";

/// Jobs by the uid of their controller.
pub const BY_OWNER: Index<Job> = Index::new("owner", |job| {
    let owners = job.metadata.owner_references.iter().flatten();
    let controllers = owners.filter(|owner| owner.controller == Some(true));
    controllers.map(|owner| owner.uid.clone()).collect()
});

/// The Jobs of one `CronJob`, each kind from the oldest to the newest.
#[derive(Default)]
pub struct Jobs {
    /// Those that run, or are about to.
    pub active: Vec<Arc<Job>>,
    /// Those that completed.
    pub successful: Vec<Arc<Job>>,
    /// Those that failed.
    pub failed: Vec<Arc<Job>>,
}

impl Jobs {
    /// Sorts Jobs by what became of them.
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

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Job>> {
        let ended = self.successful.iter().chain(&self.failed);
        ended.chain(&self.active)
    }
}

/// When a Job was due.
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
