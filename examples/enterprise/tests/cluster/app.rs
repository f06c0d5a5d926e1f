//! An `App` on a real API server.

use my_operator_api::mycompany::v1::App;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Service};
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::{Value, json};

use crate::support::{NAMESPACE, becomes, cluster, create, create_invalid, edit, sample};

const PHASE: &str = "/status/phase";
const REASON: &str = "/status/conditions/0/reason";

/// Returns the sample. Add new required fields to the sample.
fn fixture() -> App {
    sample("mycompany_v1_app.yaml")
}

fn objects(client: kube::Client) -> Api<App> {
    Api::namespaced(client, NAMESPACE)
}

/// Sets the status of a Deployment. There is no Deployment controller here.
async fn set_status(deployments: &Api<Deployment>, name: &str, replicas: i32, available: i32) {
    let deployment = deployments.get(name).await.unwrap();
    let seen = json!({
        "observedGeneration": deployment.metadata.generation,
        "replicas": replicas,
        "updatedReplicas": replicas,
        "readyReplicas": available,
        "availableReplicas": available,
    });
    let status = Patch::Merge(json!({ "status": seen }));
    let params = PatchParams::default();
    let result = deployments.patch_status(name, &params, &status).await;
    result.unwrap();
}

#[tokio::test]
async fn the_children_follow_the_spec() {
    let Some(cluster) = cluster() else { return };
    let client = cluster.client().await;
    let objects = objects(client.clone());
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), NAMESPACE);
    let configs: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);
    let services: Api<Service> = Api::namespaced(client, NAMESPACE);

    // Created. The API server generates its name.
    let name = &create(&objects, &fixture()).await.unwrap();
    let config = &format!("{name}-config");
    becomes(&deployments, name, "/spec/replicas", 3).await;
    becomes(&services, name, "/spec/ports/0/port", 80).await;
    becomes(&configs, config, "/data/LOG_LEVEL", "info").await;
    becomes(&objects, name, PHASE, "Pending").await;

    // The pods are created, and become available.
    set_status(&deployments, name, 3, 1).await;
    becomes(&objects, name, PHASE, "Updating").await;
    set_status(&deployments, name, 3, 3).await;
    becomes(&objects, name, PHASE, "Running").await;

    // Edited.
    let more = json!({ "config": { "logLevel": "debug" }, "image": "nginx:2" });
    edit(&objects, name, json!({ "spec": more })).await;
    becomes(&configs, config, "/data/LOG_LEVEL", "debug").await;
    becomes(&objects, name, PHASE, "Updating").await;

    // Repaired.
    let now = DeleteParams::default();
    edit(&deployments, name, json!({ "spec": { "replicas": 9 } })).await;
    becomes(&deployments, name, "/spec/replicas", 3).await;
    services.delete(name, &now).await.unwrap();
    becomes(&services, name, "/spec/ports/0/port", 80).await;

    // Invalid: the API server rejects the Deployment; a valid spec recovers.
    let much = json!({ "requests": { "cpu": "2" }, "limits": { "cpu": "1" } });
    edit(&objects, name, json!({ "spec": { "resources": much } })).await;
    becomes(&objects, name, PHASE, "Failed").await;
    becomes(&objects, name, REASON, "Invalid").await;
    let less = json!({ "requests": { "cpu": "500m" } });
    edit(&objects, name, json!({ "spec": { "resources": less } })).await;
    becomes(&objects, name, PHASE, "Updating").await;

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
async fn an_app_is_scaled_through_its_subresource() {
    let Some(cluster) = cluster() else { return };
    let client = cluster.client().await;
    let objects = objects(client.clone());
    let deployments: Api<Deployment> = Api::namespaced(client, NAMESPACE);
    let mut object = fixture();
    object.spec.replicas = 1;
    let name = &create(&objects, &object).await.unwrap();
    becomes(&deployments, name, "/spec/replicas", 1).await;
    set_status(&deployments, name, 1, 1).await;
    becomes(&objects, name, PHASE, "Running").await;

    let params = PatchParams::default();
    let scale = |replicas: i32| Patch::Merge(json!({ "spec": { "replicas": replicas } }));
    objects.patch_scale(name, &params, &scale(4)).await.unwrap();
    becomes(&deployments, name, "/spec/replicas", 4).await;
    let seen = json!(objects.get_scale(name).await.unwrap());
    assert_eq!(seen["status"]["replicas"], 1);
    let selector = seen["status"]["selector"].as_str().unwrap_or_default();
    let instance = format!("app.kubernetes.io/instance={name}");
    assert!(selector.split(',').any(|label| label == instance));
    let answer = objects.patch_scale(name, &params, &scale(0)).await;
    answer.expect_err("less than one");
}

#[tokio::test]
async fn an_invalid_object_is_rejected() {
    let Some(cluster) = cluster() else { return };
    let objects = objects(cluster.client().await);
    let changes: [fn(&mut App); 6] = [
        |app| app.metadata.name = Some("2nd".to_owned()),
        |app| app.spec.image.clear(),
        |app| app.spec.replicas = 0,
        |app| app.spec.port = 65536,
        |app| app.spec.resources.limits.cpu = Some("a lot".to_owned()),
        |app| app.spec.resources.limits.memory = Some("64".to_owned()),
    ];
    for change in changes {
        let mut object = fixture();
        change(&mut object);
        create_invalid(&objects, &object).await;
    }
}
