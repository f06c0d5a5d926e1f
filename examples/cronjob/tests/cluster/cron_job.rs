//! A `CronJob` on a real API server.

use cronjob_api::batch::v1::CronJob;

use k8s_openapi::api::batch::v1::Job;
use kube::Api;
use kube::api::{DeleteParams, ListParams};
use serde_json::{Value, json};

use crate::support::{NAMESPACE, becomes, cluster, create, create_invalid, edit, sample};

const READY: &str = "/status/conditions/0/status";
const REASON: &str = "/status/conditions/0/reason";
const DEADLINE: &str = "/spec/startingDeadlineSeconds";

/// Returns the sample. Add new required fields to the sample.
fn fixture() -> CronJob {
    sample("batch_v1_cronjob.yaml")
}

fn objects(client: kube::Client) -> Api<CronJob> {
    Api::namespaced(client, NAMESPACE)
}

#[tokio::test]
async fn a_job_starts_every_minute() {
    let Some(cluster) = cluster() else { return };
    let client = cluster.client().await;
    let jobs: Api<Job> = Api::namespaced(client.clone(), NAMESPACE);
    let objects = objects(client);

    // Created: nothing is due before 03:00, and the webhook has set the deadline.
    let name = &create(&objects, &fixture()).await.unwrap();
    becomes(&objects, name, READY, "True").await;
    becomes(&objects, name, DEADLINE, 24 * 3600).await;

    // Edited: a Job is due now.
    let spec = json!({ "schedule": "* * * * *" });
    edit(&objects, name, json!({ "spec": spec })).await;
    let job = started(&objects, name).await;
    let started = jobs.get(&job).await.unwrap();
    let owners = started.metadata.owner_references.unwrap_or_default();
    assert_eq!(owners[0].name, *name);

    // Suspended.
    edit(&objects, name, json!({ "spec": { "suspend": true } })).await;
    becomes(&objects, name, REASON, "Suspended").await;

    // Deleted. There is no garbage collector here.
    let now = DeleteParams::default();
    objects.delete(name, &now).await.unwrap();
    becomes(&objects, name, "/metadata/name", Value::Null).await;
    for job in jobs.list(&ListParams::default()).await.unwrap() {
        let name = job.metadata.name.unwrap();
        jobs.delete(&name, &DeleteParams::background())
            .await
            .unwrap();
    }
}

/// Waits for the first Job of an object and returns its name.
async fn started(objects: &Api<CronJob>, name: &str) -> String {
    loop {
        let object = objects.get(name).await.unwrap();
        let mut active = object
            .status
            .map(|status| status.active)
            .unwrap_or_default();
        match active.pop() {
            Some(job) => return job,
            None => tokio::time::sleep(std::time::Duration::from_millis(100)).await,
        }
    }
}

#[tokio::test]
async fn an_invalid_schedule_is_rejected() {
    let Some(cluster) = cluster() else { return };
    let objects = objects(cluster.client().await);
    let mut object = fixture();
    object.spec.schedule = "every day".to_owned();
    create_invalid(&objects, &object).await;
}
