// SPDX-FileCopyrightText: developer
// SPDX-License-Identifier: Apache-2.0

//! An `AppService` on a real API server.

use app_operator_api::app::v1::AppService;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Service;
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::{Value, json};

use crate::support::{NAMESPACE, becomes, cluster, create, edit};

const READY: &str = "/status/conditions/0/status";
const REASON: &str = "/status/conditions/0/reason";

fn objects(client: kube::Client) -> Api<AppService> {
    Api::namespaced(client, NAMESPACE)
}

#[tokio::test]
async fn a_workload_is_kept_as_its_spec_asks() {
    let Some(cluster) = cluster() else { return };
    let client = cluster.client().await;
    let objects = objects(client.clone());
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), NAMESPACE);
    let services: Api<Service> = Api::namespaced(client, NAMESPACE);

    // Created. The API server gives it a name.
    let spec = json!({ "image": "nginx", "size": 3, "ports": [{ "port": 80 }] });
    let object = json!({ "metadata": { "generateName": "test-" }, "spec": spec });
    let name = &create(&objects, object).await.unwrap();
    becomes(&deployments, name, "/spec/replicas", 3).await;
    becomes(&services, name, "/spec/ports/0/port", 80).await;
    becomes(&objects, name, REASON, "RollingOut").await;

    // Ready once its pods are. There are none: the test says that they run.
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

    // Broken, for the API server refuses the Service. And mended.
    let ports = json!([{ "port": 80, "nodePort": 1 }]);
    edit(&objects, name, json!({ "spec": { "ports": ports } })).await;
    becomes(&objects, name, REASON, "Invalid").await;
    edit(&objects, name, json!({ "spec": { "ports": [] } })).await;
    becomes(&objects, name, REASON, "RollingOut").await;
    becomes(&services, name, "/metadata/name", Value::Null).await;

    // Deleted: what it owned is not brought back. It stays until then, as nothing collects it here.
    let params = DeleteParams::foreground();
    objects.delete(name, &params).await.unwrap();
    deployments.delete(name, &now).await.unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    becomes(&deployments, name, "/metadata/name", Value::Null).await;
}

#[tokio::test]
async fn what_cannot_work_is_refused() {
    let Some(cluster) = cluster() else { return };
    let objects = objects(cluster.client().await);
    let twice = json!([{ "port": 80 }, { "port": 80 }]);
    for (name, spec) in [
        ("2nd", json!({ "image": "nginx" })),
        ("empty", json!({ "image": "" })),
        ("less", json!({ "image": "nginx", "size": -1 })),
        ("twice", json!({ "image": "nginx", "ports": twice })),
    ] {
        let object = json!({ "metadata": { "name": name }, "spec": spec });
        let answer = create(&objects, object).await.expect_err(name);
        assert!(
            matches!(&answer, kube::Error::Api(answer) if answer.is_invalid()),
            "{name}: {answer}"
        );
    }
}
