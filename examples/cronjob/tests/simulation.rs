//! Runs the operator in a simulated cluster with injected faults. `cargo test` runs a few seeds, and
//! `rop simulate` many more.

use std::time::Duration;

use cronjob::controller::cron_job::jobs::Jobs;
use cronjob::{IDENTITY, State, register};
use cronjob_api::batch::v1::CronJob;

use k8s_openapi::api::batch::v1::Job;
use kube::ResourceExt;
use rop_runtime::simulation::{Simulation, World};
use rop_runtime::testing::sample;

/// The role, CRDs, webhooks and sample objects are read from `config/`.
#[test]
fn simulation() {
    let few = Duration::from_mins(2);
    Simulation::new(IDENTITY, register, State::for_tests)
        .config(concat!(env!("CARGO_MANIFEST_DIR"), "/config"))
        .objects([busy()])
        .has_history::<CronJob>()
        .eventually("history limits are respected", few, few_are_kept)
        .seeds(0..4)
        .run();
}

/// Returns an object with a Job in each of the first ten minutes: a simulation begins at midnight.
fn busy() -> CronJob {
    let sample_of = include_str!("../config/samples/batch_v1_cronjob.yaml");
    let mut object: CronJob = sample(sample_of, "busy");
    object.spec.schedule = "0-9 0 * * *".to_owned();
    object
}

fn few_are_kept(world: &World) -> Result<(), String> {
    let jobs = world.list::<Job>();
    for object in world.list::<CronJob>() {
        // The operator does not see a Job without its labels. It is garbage collected with its owner.
        let is_its = |job: &&Job| {
            let mut owners = job.owner_references().iter();
            owners.any(|owner| Some(&owner.uid) == object.metadata.uid.as_ref())
                && job.labels().contains_key("app.kubernetes.io/managed-by")
        };
        let its = jobs.iter().filter(is_its).cloned().map(Into::into);
        let its = Jobs::of(its.collect());
        let (successful, failed) = (its.successful.len(), its.failed.len());
        if successful > object.spec.successful_jobs_history_limit.into()
            || failed > object.spec.failed_jobs_history_limit.into()
        {
            let name = object.name_any();
            return Err(format!(
                "{name} keeps {successful} completed and {failed} failed Jobs"
            ));
        }
    }
    Ok(())
}
