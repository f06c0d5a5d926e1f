//! An `Instance` on a real API server.

use instance_operator_api::cloud::v1alpha1::Instance;

use kube::Api;
use kube::api::DeleteParams;
use serde_json::{Value, json};

use crate::support::{NAMESPACE, becomes, cluster, create, create_invalid, edit, sample};

const READY: &str = "/status/conditions/0/status";
const GENERATION: &str = "/status/observedGeneration";

/// Returns the sample. Add new required fields to the sample.
fn fixture() -> Instance {
    sample("cloud_v1alpha1_instance.yaml")
}

fn objects(client: kube::Client) -> Api<Instance> {
    Api::namespaced(client, NAMESPACE)
}

#[tokio::test]
async fn the_status_follows_the_spec() {
    let Some(cluster) = cluster() else { return };
    let objects = objects(cluster.client().await);

    // Created.
    let name = &create(&objects, &fixture()).await.unwrap();
    becomes(&objects, name, READY, "True").await;
    becomes(&objects, name, GENERATION, 1).await;

    // Edited.
    let spec = json!({ "zoneID": "eu-north-b" });
    edit(&objects, name, json!({ "spec": spec })).await;
    becomes(&objects, name, GENERATION, 2).await;

    // Deleted.
    let now = DeleteParams::default();
    objects.delete(name, &now).await.unwrap();
    becomes(&objects, name, "/metadata/name", Value::Null).await;
}

#[tokio::test]
async fn an_invalid_object_is_rejected() {
    let Some(cluster) = cluster() else { return };
    let objects = objects(cluster.client().await);
    let mut object = fixture();
    object.spec.zone_id = "eu-south-a".to_owned();
    create_invalid(&objects, &object).await;
}
