//! Fields of built-in kinds that no update may change: the same requests to both servers.

use rop_runtime::testing::api_server::ApiServer;
use serde_json::{Value, json};

use crate::plane::Plane;
use crate::post;
use crate::twin::{Answer, NEWEST, Step, Twin};

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
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        let path = format!("{collection}/{name}");
        let patched = |patch: &Value| Step {
            method: "PATCH",
            content_type: "application/merge-patch+json",
            ..post(&path, patch.clone())
        };
        let created = post(collection, object);
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
    let workloads = [stateful_set(), deployment(), job()];
    workloads
        .into_iter()
        .chain([claim(), pod(), class(), service(), headless_service()])
        .collect()
}

fn named(version: &str, kind: &str, spec: &Value) -> Value {
    let metadata = json!({ "name": "a", "namespace": NAMESPACE });
    json!({ "apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec })
}

/// Changes of the spec.
fn specs(changes: Vec<Value>) -> Vec<Value> {
    let specs = changes.into_iter();
    specs.map(|change| json!({ "spec": change })).collect()
}

fn containers(image: &str) -> Value {
    json!([{ "name": "c", "image": image }])
}

fn template(app: &str) -> Value {
    json!({ "metadata": { "labels": { "app": app } }, "spec": { "containers": containers("x") } })
}

fn selector(app: &str) -> Value {
    json!({ "matchLabels": { "app": app } })
}

fn claim_spec() -> Value {
    let resources = json!({ "requests": { "storage": "1Gi" } });
    json!({ "accessModes": ["ReadWriteOnce"], "resources": resources })
}

fn stateful_set() -> Kind {
    let spec = json!({ "serviceName": "a", "selector": selector("a"), "template": template("a") });
    let claims = json!([{ "metadata": { "name": "d" }, "spec": claim_spec() }]);
    (
        "/apis/apps/v1/namespaces/fixed/statefulsets",
        named("apps/v1", "StatefulSet", &spec),
        specs(vec![
            json!({ "podManagementPolicy": "Parallel" }),
            json!({ "serviceName": "b" }),
            json!({ "volumeClaimTemplates": claims }),
            json!({ "selector": selector("b"), "template": template("b") }),
            json!({ "replicas": 3, "template": { "spec": { "containers": containers("y") } } }),
        ]),
    )
}

fn deployment() -> Kind {
    let spec = json!({ "selector": selector("a"), "template": template("a") });
    (
        "/apis/apps/v1/namespaces/fixed/deployments",
        named("apps/v1", "Deployment", &spec),
        specs(vec![
            json!({ "selector": selector("b"), "template": template("b") }),
            json!({ "template": { "spec": { "containers": containers("y") } } }),
        ]),
    )
}

fn job() -> Kind {
    let pod = json!({ "restartPolicy": "Never", "containers": containers("x") });
    (
        "/apis/batch/v1/namespaces/fixed/jobs",
        named("batch/v1", "Job", &json!({ "template": { "spec": pod } })),
        specs(vec![
            json!({ "template": { "spec": { "containers": containers("y") } } }),
            json!({ "completions": 3 }),
            json!({ "completionMode": "Indexed" }),
            json!({ "backoffLimit": 3, "parallelism": 2, "ttlSecondsAfterFinished": 3 }),
        ]),
    )
}

fn claim() -> Kind {
    (
        "/api/v1/namespaces/fixed/persistentvolumeclaims",
        named("v1", "PersistentVolumeClaim", &claim_spec()),
        specs(vec![json!({ "accessModes": ["ReadWriteMany"] })]),
    )
}

fn pod() -> Kind {
    (
        "/api/v1/namespaces/fixed/pods",
        named("v1", "Pod", &json!({ "containers": containers("x") })),
        specs(vec![
            json!({ "restartPolicy": "Never" }),
            json!({ "containers": [{ "name": "c", "image": "x", "command": ["sh"] }] }),
            json!({ "containers": containers("y") }),
            json!({ "activeDeadlineSeconds": 9 }),
        ]),
    )
}

fn class() -> Kind {
    let metadata = json!({ "name": "a" });
    (
        "/apis/storage.k8s.io/v1/storageclasses",
        json!({ "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": metadata, "provisioner": "x" }),
        vec![
            json!({ "provisioner": "y" }),
            json!({ "parameters": { "a": "b" } }),
            json!({ "reclaimPolicy": "Retain" }),
            json!({ "volumeBindingMode": "WaitForFirstConsumer" }),
            json!({ "allowVolumeExpansion": true }),
        ],
    )
}

const SERVICES: &str = "/api/v1/namespaces/fixed/services";

fn service() -> Kind {
    let spec = json!({ "ports": [{ "port": 80 }], "selector": { "app": "a" } });
    let changes = vec![
        json!({ "clusterIP": "None" }),
        json!({ "clusterIP": "None", "clusterIPs": ["None"] }),
        json!({ "clusterIP": "None", "clusterIPs": null, "type": "LoadBalancer" }),
        json!({ "clusterIP": null, "clusterIPs": null, "type": "LoadBalancer" }),
        json!({ "clusterIP": "", "type": "NodePort" }),
        json!({ "clusterIPs": [] }),
    ];
    (SERVICES, named("v1", "Service", &spec), specs(changes))
}

fn headless_service() -> Kind {
    let spec =
        json!({ "clusterIP": "None", "ports": [{ "port": 80 }], "selector": { "app": "a" } });
    let mut object = named("v1", "Service", &spec);
    object["metadata"]["name"] = json!("headless");
    let changes = vec![
        json!({ "type": "LoadBalancer" }),
        json!({ "type": "NodePort" }),
        json!({ "clusterIP": null, "clusterIPs": null, "type": "LoadBalancer" }),
        json!({ "clusterIP": null, "clusterIPs": null }),
        json!({ "clusterIP": "10.0.0.77", "clusterIPs": null }),
        json!({ "clusterIP": "", "clusterIPs": [] }),
        json!({ "ports": [{ "port": 81 }] }),
    ];
    (SERVICES, object, specs(changes))
}
