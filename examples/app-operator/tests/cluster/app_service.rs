//! An `AppService` on a real API server.

use app_operator_api::app::v1alpha1::AppService;

use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::{Value, json};

use crate::support::{NAMESPACE, becomes, cluster, create, create_invalid, edit, sample};

const READY: &str = "/status/conditions/0/status";
const REASON: &str = "/status/conditions/0/reason";
const IMAGE: &str = "/spec/containers/0/image";
const INSTANCE: &str = "/metadata/labels/app.kubernetes.io~1instance";

/// Returns the sample. Add new required fields to the sample.
fn fixture() -> AppService {
    sample("app_v1alpha1_appservice.yaml")
}

fn objects(client: kube::Client) -> Api<AppService> {
    Api::namespaced(client, NAMESPACE)
}

#[tokio::test]
async fn the_pod_follows_the_spec() {
    let Some(cluster) = cluster() else { return };
    let client = cluster.client().await;
    let objects = objects(client.clone());
    let pods: Api<Pod> = Api::namespaced(client, NAMESPACE);

    // Created.
    let mut object = fixture();
    object.spec.image = "busybox:1".to_owned();
    let name = &create(&objects, &object).await.unwrap();
    let pod = &format!("{name}-pod");
    becomes(&pods, pod, IMAGE, "busybox:1").await;
    becomes(&objects, name, REASON, "PodPending").await;

    // Ready once its pod is. There is no kubelet here, so the test sets the status.
    let condition = json!({ "type": "Ready", "status": "True" });
    let status = json!({ "phase": "Running", "conditions": [condition] });
    let status = Patch::Merge(json!({ "status": status }));
    let params = PatchParams::default();
    pods.patch_status(pod, &params, &status).await.unwrap();
    becomes(&objects, name, READY, "True").await;

    // Edited.
    edit(&objects, name, json!({ "spec": { "image": "busybox:2" } })).await;
    becomes(&pods, pod, IMAGE, "busybox:2").await;

    // Repaired.
    let now = DeleteParams::default();
    let labels = json!({ "app.kubernetes.io/instance": "another" });
    edit(&pods, pod, json!({ "metadata": { "labels": labels } })).await;
    becomes(&pods, pod, INSTANCE, &**name).await;
    pods.delete(pod, &now).await.unwrap();
    becomes(&pods, pod, IMAGE, "busybox:2").await;

    // Invalid: the API server rejects the pod; a valid spec recovers.
    edit(&objects, name, json!({ "spec": { "image": " " } })).await;
    becomes(&objects, name, REASON, "Invalid").await;
    edit(&objects, name, json!({ "spec": { "image": "busybox:3" } })).await;
    becomes(&objects, name, REASON, "PodPending").await;

    // Deleted: its pod is not created again. There is no garbage collector here.
    let params = DeleteParams::foreground();
    objects.delete(name, &params).await.unwrap();
    // Give the operator time to observe the deletion before its children are deleted.
    let moment = std::time::Duration::from_secs(1);
    tokio::time::sleep(moment).await;
    pods.delete(pod, &now).await.unwrap();
    tokio::time::sleep(moment).await;
    becomes(&pods, pod, "/metadata/name", Value::Null).await;
}

#[tokio::test]
async fn an_invalid_object_is_rejected() {
    let Some(cluster) = cluster() else { return };
    let objects = objects(cluster.client().await);

    let mut object = fixture();
    object.spec.image.clear();
    create_invalid(&objects, &object).await;

    let mut object = fixture();
    object.metadata.name = Some("x".repeat(64));
    create_invalid(&objects, &object).await;
}
