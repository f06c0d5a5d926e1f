//! An `Instance` on a real API server.

use instance_operator_api::cloud::v1alpha1::Instance;

use kube::Api;
use kube::api::DeleteParams;
use serde_json::{Value, json};

use crate::support::{NAMESPACE, becomes, cluster, create, edit};

const READY: &str = "/status/conditions/0/status";
const GENERATION: &str = "/status/observedGeneration";

fn objects(client: kube::Client) -> Api<Instance> {
    Api::namespaced(client, NAMESPACE)
}

fn spec(zone: &str) -> Value {
    json!({ "regionID": "eu-north", "zoneID": zone, "vpcID": "vpc-1", "subnetID": "subnet-1" })
}

#[tokio::test]
async fn the_status_is_that_of_the_spec() {
    let Some(cluster) = cluster() else { return };
    let objects = objects(cluster.client().await);

    // Created. The API server gives it a name.
    let object = json!({ "metadata": { "generateName": "test-" }, "spec": spec("eu-north-a") });
    let name = &create(&objects, object).await.unwrap();
    becomes(&objects, name, READY, "True").await;
    becomes(&objects, name, GENERATION, 1).await;

    // Edited.
    edit(&objects, name, json!({ "spec": spec("eu-north-b") })).await;
    becomes(&objects, name, GENERATION, 2).await;

    // Deleted.
    let now = DeleteParams::default();
    objects.delete(name, &now).await.unwrap();
    becomes(&objects, name, "/metadata/name", Value::Null).await;
}

#[tokio::test]
async fn what_cannot_work_is_refused() {
    let Some(cluster) = cluster() else { return };
    let objects = objects(cluster.client().await);
    let object = json!({ "metadata": { "name": "far" }, "spec": spec("eu-south-a") });
    let answer = create(&objects, object).await.expect_err("another region");
    assert!(
        matches!(&answer, kube::Error::Api(answer) if answer.is_invalid()),
        "{answer}"
    );
}
