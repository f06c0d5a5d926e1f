//! An `App` on a real API server.

use my_operator_api::mycompany::v1::App;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Service};
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::{Value, json};

use crate::support::{NAMESPACE, becomes, cluster, create, edit};

const PHASE: &str = "/status/phase";
const REASON: &str = "/status/conditions/0/reason";

fn objects(client: kube::Client) -> Api<App> {
    Api::namespaced(client, NAMESPACE)
}

/// Says how many pods of a Deployment there are. There are none: nobody runs them here.
async fn play(deployments: &Api<Deployment>, name: &str, replicas: i32, available: i32) {
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
async fn an_app_is_kept_as_its_spec_asks() {
    let Some(cluster) = cluster() else { return };
    let client = cluster.client().await;
    let objects = objects(client.clone());
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), NAMESPACE);
    let configs: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);
    let services: Api<Service> = Api::namespaced(client, NAMESPACE);

    // Created. The API server gives it a name.
    let spec = json!({ "image": "nginx", "replicas": 3, "port": 80 });
    let object = json!({ "metadata": { "generateName": "test-" }, "spec": spec });
    let name = &create(&objects, object).await.unwrap();
    let config = &format!("{name}-config");
    becomes(&deployments, name, "/spec/replicas", 3).await;
    becomes(&services, name, "/spec/ports/0/port", 80).await;
    becomes(&configs, config, "/data/LOG_LEVEL", "info").await;
    becomes(&objects, name, PHASE, "Pending").await;

    // The pods come, and run.
    play(&deployments, name, 3, 1).await;
    becomes(&objects, name, PHASE, "Updating").await;
    play(&deployments, name, 3, 3).await;
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

    // Broken, for the API server refuses the Deployment. And mended.
    let much = json!({ "requests": { "cpu": "2" }, "limits": { "cpu": "1" } });
    edit(&objects, name, json!({ "spec": { "resources": much } })).await;
    becomes(&objects, name, PHASE, "Failed").await;
    becomes(&objects, name, REASON, "Invalid").await;
    let less = json!({ "requests": { "cpu": "1" } });
    edit(&objects, name, json!({ "spec": { "resources": less } })).await;
    becomes(&objects, name, PHASE, "Updating").await;

    // Deleted: what it owned is not brought back. It stays until then, as nothing collects it here.
    let params = DeleteParams::foreground();
    objects.delete(name, &params).await.unwrap();
    deployments.delete(name, &now).await.unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    becomes(&deployments, name, "/metadata/name", Value::Null).await;
}

#[tokio::test]
async fn an_app_is_scaled_through_its_subresource() {
    let Some(cluster) = cluster() else { return };
    let client = cluster.client().await;
    let objects = objects(client.clone());
    let deployments: Api<Deployment> = Api::namespaced(client, NAMESPACE);
    let spec = json!({ "image": "nginx", "replicas": 1 });
    let object = json!({ "metadata": { "generateName": "scaled-" }, "spec": spec });
    let name = &create(&objects, object).await.unwrap();
    becomes(&deployments, name, "/spec/replicas", 1).await;
    play(&deployments, name, 1, 1).await;
    becomes(&objects, name, PHASE, "Running").await;

    let params = PatchParams::default();
    let scale = |replicas: i32| Patch::Merge(json!({ "spec": { "replicas": replicas } }));
    objects.patch_scale(name, &params, &scale(4)).await.unwrap();
    becomes(&deployments, name, "/spec/replicas", 4).await;
    let seen = json!(objects.get_scale(name).await.unwrap());
    assert_eq!(seen["status"]["replicas"], 1);
    let selector = format!("app.kubernetes.io/instance={name},app.kubernetes.io/name=app");
    assert_eq!(seen["status"]["selector"], selector);
    let answer = objects.patch_scale(name, &params, &scale(0)).await;
    answer.expect_err("less than one");
}

#[tokio::test]
async fn what_cannot_work_is_refused() {
    let Some(cluster) = cluster() else { return };
    let objects = objects(cluster.client().await);
    let with = |key: &str, value: Value| {
        let mut spec = json!({ "image": "nginx", "replicas": 1 });
        spec[key] = value;
        spec
    };
    for (name, spec) in [
        ("2nd", with("port", json!(80))),
        ("empty", with("image", json!(""))),
        ("none", with("replicas", json!(0))),
        ("high", with("port", json!(65536))),
        (
            "cpu",
            with("resources", json!({ "limits": { "cpu": "a lot" } })),
        ),
        (
            "unit",
            with("resources", json!({ "limits": { "memory": "64" } })),
        ),
    ] {
        let object = json!({ "metadata": { "name": name }, "spec": spec });
        let answer = create(&objects, object).await.expect_err(name);
        assert!(
            matches!(&answer, kube::Error::Api(answer) if answer.is_invalid()),
            "{name}: {answer}"
        );
    }
}
