//! Fields of built-in kinds that no update may change: the same requests to both servers.

use rop_runtime::testing::api_server::ApiServer;
use serde_json::{Value, json};

use crate::plane::Plane;
use crate::post;
use crate::twin::{Answer, Step, Twin};

/// The release whose errors the in-memory server has.
const NEWEST: u32 = 37;

const NAMESPACE: &str = "fixed";

/// A kind: its path, an object, and what is merged into it one after another.
type Kind = (&'static str, Value, Vec<Value>);

pub(crate) async fn check(plane: &Plane) {
    if plane.minor < NEWEST {
        return;
    }
    let server = ApiServer::new();
    let mut real = Twin::new(plane.client.clone());
    let mut ours = Twin::new(server.client());
    let namespace = json!({ "metadata": { "name": NAMESPACE } });
    for twin in [&mut real, &mut ours] {
        let step = post("/api/v1/namespaces", namespace.clone());
        assert_eq!(twin.send(&step).await.code, 201);
    }
    for (collection, object, patches) in kinds() {
        let created = post(collection, object);
        let patched = |patch: &Value| Step {
            method: "PATCH",
            content_type: "application/merge-patch+json",
            ..post(&format!("{collection}/a"), patch.clone())
        };
        let steps = [created].into_iter().chain(patches.iter().map(patched));
        for step in steps {
            let (expected, got) = (real.send(&step).await, ours.send(&step).await);
            assert_eq!(
                essence(&got),
                essence(&expected),
                "{collection}: {}",
                step.body
            );
        }
    }
}

/// The code, and which fields are refused: what is shown of them is in Go's form.
fn essence(answer: &Answer) -> (u16, Vec<(Value, Value)>) {
    let causes = answer.body["details"]["causes"].as_array();
    let causes = causes.into_iter().flatten();
    let mut fields: Vec<_> = causes
        .map(|cause| (cause["field"].clone(), cause["reason"].clone()))
        .collect();
    fields.sort_by_key(|(field, _)| field.to_string());
    (answer.code, fields)
}

fn kinds() -> Vec<Kind> {
    let labels = json!({ "app": "a" });
    let pod = json!({ "restartPolicy": "Never", "containers": [{ "name": "c", "image": "x" }] });
    let template =
        json!({ "metadata": { "labels": labels }, "spec": { "containers": pod["containers"] } });
    let selector = json!({ "matchLabels": labels });
    let claim = json!({ "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } } });
    let other = json!({ "selector": { "matchLabels": { "app": "b" } }, "template": { "metadata": { "labels": { "app": "b" } } } });
    let image = json!([{ "name": "c", "image": "y" }]);
    let named = |kind: &str, version: &str, spec: Value| {
        json!({
            "apiVersion": version, "kind": kind,
            "metadata": { "name": "a", "namespace": NAMESPACE }, "spec": spec,
        })
    };
    let spec = |fields: Value| json!({ "spec": fields });
    vec![
        (
            "/apis/apps/v1/namespaces/fixed/statefulsets",
            named(
                "StatefulSet",
                "apps/v1",
                json!({ "serviceName": "a", "selector": selector, "template": template }),
            ),
            vec![
                spec(json!({ "podManagementPolicy": "Parallel" })),
                spec(json!({ "serviceName": "b" })),
                spec(
                    json!({ "volumeClaimTemplates": [{ "metadata": { "name": "d" }, "spec": claim }] }),
                ),
                spec(other.clone()),
                spec(
                    json!({ "replicas": 3, "minReadySeconds": 2, "template": { "spec": { "containers": image } } }),
                ),
            ],
        ),
        (
            "/apis/apps/v1/namespaces/fixed/deployments",
            named(
                "Deployment",
                "apps/v1",
                json!({ "selector": selector, "template": template }),
            ),
            vec![
                spec(other),
                spec(json!({ "template": { "spec": { "containers": image } } })),
            ],
        ),
        (
            "/apis/batch/v1/namespaces/fixed/jobs",
            named("Job", "batch/v1", json!({ "template": { "spec": pod } })),
            vec![
                spec(json!({ "template": { "spec": { "containers": image } } })),
                spec(json!({ "completions": 3 })),
                spec(json!({ "completionMode": "Indexed" })),
                spec(json!({ "backoffLimit": 3, "parallelism": 2, "ttlSecondsAfterFinished": 3 })),
            ],
        ),
        (
            "/api/v1/namespaces/fixed/persistentvolumeclaims",
            named("PersistentVolumeClaim", "v1", claim),
            vec![spec(json!({ "accessModes": ["ReadWriteMany"] }))],
        ),
        (
            "/api/v1/namespaces/fixed/pods",
            named("Pod", "v1", pod),
            vec![
                spec(json!({ "restartPolicy": "Always" })),
                spec(json!({ "containers": [{ "name": "c", "image": "x", "command": ["sh"] }] })),
                spec(json!({ "containers": image })),
                spec(json!({ "activeDeadlineSeconds": 9 })),
            ],
        ),
        (
            "/apis/storage.k8s.io/v1/storageclasses",
            json!({
                "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
                "metadata": { "name": "a" }, "provisioner": "x",
            }),
            vec![
                json!({ "provisioner": "y" }),
                json!({ "parameters": { "a": "b" } }),
                json!({ "reclaimPolicy": "Retain" }),
                json!({ "volumeBindingMode": "WaitForFirstConsumer" }),
                json!({ "allowVolumeExpansion": true }),
            ],
        ),
    ]
}
