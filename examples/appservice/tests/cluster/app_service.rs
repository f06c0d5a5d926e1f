// SPDX-FileCopyrightText: developer
// SPDX-License-Identifier: Apache-2.0

//! An `AppService` on a real API server.

use app_operator_api::app::v1::AppService;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{Service, ServicePort};
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::{Value, json};

use crate::support::{NAMESPACE, becomes, cluster, create, create_invalid, edit, sample};

const READY: &str = "/status/conditions/0/status";
const REASON: &str = "/status/conditions/0/reason";

/// Returns the sample. Add new required fields to the sample.
fn fixture() -> AppService {
    sample("app_v1_appservice.yaml")
}

fn port(port: i32) -> ServicePort {
    ServicePort {
        port,
        ..ServicePort::default()
    }
}

fn objects(client: kube::Client) -> Api<AppService> {
    Api::namespaced(client, NAMESPACE)
}

#[tokio::test]
async fn the_children_follow_the_spec() {
    let Some(cluster) = cluster() else { return };
    let client = cluster.client().await;
    let objects = objects(client.clone());
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), NAMESPACE);
    let services: Api<Service> = Api::namespaced(client, NAMESPACE);

    // Created.
    let mut object = fixture();
    object.spec.size = 3;
    object.spec.ports = vec![port(80)];
    let name = &create(&objects, &object).await.unwrap();
    becomes(&deployments, name, "/spec/replicas", 3).await;
    becomes(&services, name, "/spec/ports/0/port", 80).await;
    becomes(&objects, name, REASON, "RollingOut").await;

    // Ready once its pods are. There is no Deployment controller here, so the test sets the status.
    let seen = json!({
        "observedGeneration": 1,
        "replicas": 3, "updatedReplicas": 3, "readyReplicas": 3, "availableReplicas": 3,
    });
    let status = Patch::Merge(json!({ "status": seen }));
    let params = PatchParams::default();
    let result = deployments.patch_status(name, &params, &status).await;
    result.unwrap();
    becomes(&objects, name, READY, "True").await;

    // Edited.
    edit(&objects, name, json!({ "spec": { "size": 5 } })).await;
    becomes(&deployments, name, "/spec/replicas", 5).await;

    // Repaired.
    let now = DeleteParams::default();
    edit(&deployments, name, json!({ "spec": { "replicas": 9 } })).await;
    becomes(&deployments, name, "/spec/replicas", 5).await;
    services.delete(name, &now).await.unwrap();
    becomes(&services, name, "/spec/ports/0/port", 80).await;

    // Invalid: the API server rejects the Service; a valid spec recovers.
    let ports = json!([{ "port": 80, "nodePort": 1 }]);
    edit(&objects, name, json!({ "spec": { "ports": ports } })).await;
    becomes(&objects, name, REASON, "Invalid").await;
    edit(&objects, name, json!({ "spec": { "ports": [] } })).await;
    becomes(&objects, name, REASON, "RollingOut").await;
    becomes(&services, name, "/metadata/name", Value::Null).await;

    // Deleted: its children are not created again. There is no garbage collector here.
    let params = DeleteParams::foreground();
    objects.delete(name, &params).await.unwrap();
    // Give the operator time to observe the deletion before its children are deleted.
    let moment = std::time::Duration::from_secs(1);
    tokio::time::sleep(moment).await;
    deployments.delete(name, &now).await.unwrap();
    tokio::time::sleep(moment).await;
    becomes(&deployments, name, "/metadata/name", Value::Null).await;
}

#[tokio::test]
async fn an_invalid_object_is_rejected() {
    let Some(cluster) = cluster() else { return };
    let objects = objects(cluster.client().await);

    let mut object = fixture();
    object.metadata.name = Some("2nd".to_owned());
    create_invalid(&objects, &object).await;

    let mut object = fixture();
    object.spec.image.clear();
    create_invalid(&objects, &object).await;

    let mut object = fixture();
    object.spec.size = -1;
    create_invalid(&objects, &object).await;

    let mut object = fixture();
    object.spec.ports = vec![port(80), port(80)];
    create_invalid(&objects, &object).await;
}
