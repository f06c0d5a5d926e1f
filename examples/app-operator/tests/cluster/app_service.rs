//! An `AppService` on a real API server.

use app_operator_api::app::v1alpha1::AppService;

use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::{Value, json};

use crate::support::{NAMESPACE, becomes, cluster, create, edit};

const READY: &str = "/status/conditions/0/status";
const REASON: &str = "/status/conditions/0/reason";
const IMAGE: &str = "/spec/containers/0/image";
const INSTANCE: &str = "/metadata/labels/app.kubernetes.io~1instance";

fn objects(client: kube::Client) -> Api<AppService> {
    Api::namespaced(client, NAMESPACE)
}

#[tokio::test]
async fn a_pod_is_kept_as_its_spec_asks() {
    let Some(cluster) = cluster() else { return };
    let client = cluster.client().await;
    let objects = objects(client.clone());
    let pods: Api<Pod> = Api::namespaced(client, NAMESPACE);

    // Created. The API server gives it a name.
    let spec = json!({ "image": "busybox:1" });
    let object = json!({ "metadata": { "generateName": "test-" }, "spec": spec });
    let name = &create(&objects, object).await.unwrap();
    let pod = &format!("{name}-pod");
    becomes(&pods, pod, IMAGE, "busybox:1").await;
    becomes(&objects, name, REASON, "PodPending").await;

    // Ready once its pod is. No node runs it: the test says that one does.
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

    // Broken, for there can be no such image. And mended.
    edit(&objects, name, json!({ "spec": { "image": " " } })).await;
    becomes(&objects, name, REASON, "Invalid").await;
    edit(&objects, name, json!({ "spec": { "image": "busybox:3" } })).await;
    becomes(&objects, name, REASON, "PodPending").await;

    // Deleted: what it owned is not brought back. It stays until then, as nothing collects it here.
    let params = DeleteParams::foreground();
    objects.delete(name, &params).await.unwrap();
    pods.delete(pod, &now).await.unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    becomes(&pods, pod, "/metadata/name", Value::Null).await;
}

#[tokio::test]
async fn what_cannot_work_is_refused() {
    let Some(cluster) = cluster() else { return };
    let objects = objects(cluster.client().await);
    for (name, spec) in [
        ("empty", json!({ "image": "" })),
        (&*"x".repeat(64), json!({ "image": "busybox" })),
    ] {
        let object = json!({ "metadata": { "name": name }, "spec": spec });
        let answer = create(&objects, object).await.expect_err(name);
        assert!(
            matches!(&answer, kube::Error::Api(answer) if answer.is_invalid()),
            "{name}: {answer}"
        );
    }
}
