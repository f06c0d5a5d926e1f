//! The server from the view of kube's client.

use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{ConfigMap, ResourceQuota};
use kube::Api;
use kube::api::{
    DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams,
};
use serde_json::json;
use tokio::time::timeout;

use super::*;

#[tokio::test(start_paused = true)]
async fn an_applied_object_is_what_its_managers_set() {
    let server = ApiServer::new();
    let maps: Api<ConfigMap> = Api::namespaced(server.client(), "default");
    let apply = async |manager: &str, data: Value| {
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data});
        let applied = maps
            .patch("a", &PatchParams::apply(manager), &Patch::Apply(map))
            .await;
        applied.map(|map| map.data.unwrap_or_default().into_iter().collect::<Vec<_>>())
    };
    let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect()
    };
    assert_eq!(
        apply("one", json!({"x": "1", "y": "1"})).await.unwrap(),
        pairs(&[("x", "1"), ("y", "1")])
    );
    assert_eq!(apply("two", json!({"z": "2"})).await.unwrap().len(), 3);
    let refused = apply("two", json!({"x": "2"}))
        .await
        .expect_err("a conflict");
    let expected = "Apply failed with 1 conflict: conflict with \"one\": .data.x";
    assert!(refused.to_string().contains(expected), "{refused}");
    let kept = apply("one", json!({"x": "1"})).await.unwrap();
    assert_eq!(kept, pairs(&[("x", "1"), ("z", "2")]));
}

#[tokio::test(start_paused = true)]
async fn each_manager_of_a_quota_has_its_own_limits() {
    let server = ApiServer::new();
    let quotas: Api<ResourceQuota> = Api::namespaced(server.client(), "default");
    let apply = async |manager: &str, hard: Value| {
        let quota = json!({
            "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "a" },
            "spec": { "hard": hard },
        });
        let params = PatchParams::apply(manager);
        let applied = quotas.patch("a", &params, &Patch::Apply(quota)).await;
        json!(applied.unwrap())
    };
    apply("one", json!({ "pods": "20" })).await;
    let both = apply("two", json!({ "requests.cpu": "4000m" })).await;
    let hard = json!({ "pods": "20", "requests.cpu": "4" });
    assert_eq!(both["spec"], json!({ "hard": hard }));
    assert_eq!(both["metadata"]["generation"], Value::Null);
}

#[tokio::test(start_paused = true)]
async fn a_watch_goes_on_where_a_list_ends() {
    let server = ApiServer::new();
    let maps: Api<ConfigMap> = Api::namespaced(server.client(), "default");
    let map = |name: &str, label: &str| -> ConfigMap {
        serde_json::from_value(json!({"metadata": {"name": name, "labels": {"of": label}}}))
            .unwrap()
    };
    maps.create(&PostParams::default(), &map("a", "us"))
        .await
        .unwrap();
    let list = maps
        .list(&ListParams::default().labels("of=us"))
        .await
        .unwrap();
    let version = list.metadata.resource_version.expect("a version");
    maps.create(&PostParams::default(), &map("b", "them"))
        .await
        .unwrap();
    let mut events = maps
        .watch(&WatchParams::default().labels("of=us"), &version)
        .await
        .unwrap()
        .boxed();
    maps.replace("a", &PostParams::default(), &map("a", "them"))
        .await
        .unwrap();
    maps.replace("b", &PostParams::default(), &map("b", "us"))
        .await
        .unwrap();
    let mut seen = Vec::new();
    while let Ok(Ok(Some(event))) = timeout(Duration::from_secs(1), events.try_next()).await {
        let name = |map: ConfigMap| map.metadata.name.unwrap_or_default();
        seen.push(match event {
            WatchEvent::Added(map) => format!("added {}", name(map)),
            WatchEvent::Deleted(map) => format!("deleted {}", name(map)),
            event => panic!("{event:?}"),
        });
    }
    assert_eq!(seen, ["deleted a", "added b"]);
    server.compact();
    let expired = maps.watch(&WatchParams::default(), &version).await.unwrap();
    let event = expired.boxed().try_next().await.unwrap();
    let Some(WatchEvent::Error(status)) = event else {
        panic!("no error: {event:?}");
    };
    assert_eq!((status.code, &*status.reason), (410, "Expired"));
}

/// The messages of Kubernetes 1.37.
#[tokio::test(start_paused = true)]
async fn a_reference_to_an_owner_is_checked() {
    let server = ApiServer::new();
    let maps: Api<ConfigMap> = Api::namespaced(server.client(), "default");
    for (version, uid, expected) in [
        ("", "u", "apiVersion: Required value: must not be empty"),
        ("v1", "", "uid: Required value: must not be empty"),
        (
            "a/b/c",
            "u",
            "apiVersion: Invalid value: \"a/b/c\": must be <group>/<version> or <version>",
        ),
    ] {
        let owner = json!({"apiVersion": version, "kind": "Node", "name": "a", "uid": uid});
        let metadata = json!({"name": "a", "ownerReferences": [owner]});
        let map = serde_json::from_value(json!({"metadata": metadata})).unwrap();
        let created = maps.create(&PostParams::default(), &map).await;
        let refused = created.expect_err("a refusal").to_string();
        let expected = format!("metadata.ownerReferences[0].{expected}");
        assert!(refused.contains(&expected), "{refused}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_an_owner_leaves_is_collected() {
    let server = ApiServer::new();
    let deployments: Api<Deployment> = Api::namespaced(server.client(), "default");
    let maps: Api<ConfigMap> = Api::namespaced(server.client(), "default");
    let deployment = serde_json::from_value(json!({
        "metadata": {"name": "web"},
        "spec": {
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "web", "image": "web"}]},
            },
        },
    }));
    let owner = deployments
        .create(&PostParams::default(), &deployment.unwrap())
        .await
        .unwrap();
    assert_eq!(owner.spec.replicas, Some(1));
    let map = serde_json::from_value(json!({"metadata": {"name": "a", "ownerReferences": [{
        "apiVersion": "apps/v1", "kind": "Deployment", "name": "web",
        "uid": owner.metadata.uid, "blockOwnerDeletion": true,
    }]}}));
    maps.create(&PostParams::default(), &map.unwrap())
        .await
        .unwrap();
    assert!(!server.collect_garbage());
    deployments
        .delete("web", &DeleteParams::foreground())
        .await
        .unwrap();
    assert!(
        deployments
            .get("web")
            .await
            .unwrap()
            .metadata
            .deletion_timestamp
            .is_some()
    );
    assert!(server.collect_garbage());
    assert!(maps.get_opt("a").await.unwrap().is_none());
    assert!(deployments.get_opt("web").await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_user_may_do_what_a_role_says() {
    let server = ApiServer::new();
    let roles = [
        (
            "clusterroles",
            json!({"metadata": {"name": "reader"}, "rules": [
                {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]},
            ]}),
        ),
        (
            "clusterrolebindings",
            json!({
                "metadata": {"name": "reader"},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "reader"},
                "subjects": [{"kind": "ServiceAccount", "name": "operator", "namespace": "shop"}],
            }),
        ),
    ];
    for (plural, object) in roles {
        let path = format!("/apis/rbac.authorization.k8s.io/v1/{plural}");
        let request = Request::post(path)
            .body(Bytes::from(object.to_string()))
            .unwrap();
        assert_eq!(server.answer(&User::admin(), request).status(), 201);
    }
    let client = server.client_as(&User::service_account("shop", "operator"));
    let maps: Api<ConfigMap> = Api::namespaced(client, "default");
    assert!(
        maps.list(&ListParams::default())
            .await
            .unwrap()
            .items
            .is_empty()
    );
    let refused = maps
        .delete("a", &DeleteParams::default())
        .await
        .expect_err("no right");
    let expected = "configmaps \"a\" is forbidden: User \"system:serviceaccount:shop:operator\" cannot delete resource \"configmaps\" in API group \"\" in the namespace \"default\"";
    assert!(refused.to_string().contains(expected), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn the_pods_of_a_job_stay_unless_a_deletion_says_otherwise() {
    let server = ApiServer::new();
    let jobs: Api<Job> = Api::namespaced(server.client(), "default");
    let container = json!({"name": "a", "image": "a"});
    let pod = json!({"containers": [container], "restartPolicy": "Never"});
    let job = json!({"metadata": {"name": "a"}, "spec": {"template": {"spec": pod}}});
    let job: Job = serde_json::from_value(job).unwrap();
    let delete = async |params: DeleteParams| {
        jobs.create(&PostParams::default(), &job).await.unwrap();
        jobs.delete("a", &params).await.unwrap();
        let left = jobs.get_opt("a").await.unwrap();
        while server.collect_garbage() {}
        left.map(|job| job.metadata.finalizers)
    };
    assert_eq!(
        delete(DeleteParams::default()).await,
        Some(Some(vec!["orphan".to_owned()]))
    );
    assert_eq!(delete(DeleteParams::background()).await, None);
}

/// The CRD of a kind in two versions, stored in v1: `spec.x` of v1 is `spec.y` of v2.
fn converted() -> Value {
    let version = |name: &str, field: &str| {
        let number = json!({ "type": "object", "properties": { field: { "type": "integer" } } });
        let schema = json!({ "type": "object", "properties": { "spec": number } });
        json!({
            "name": name, "served": true, "storage": name == "v1",
            "schema": { "openAPIV3Schema": schema },
        })
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "things.example.com" },
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": { "kind": "Thing", "plural": "things" },
            "versions": [version("v1", "x"), version("v2", "y")],
            "conversion": { "strategy": "Webhook", "webhook": {
                "conversionReviewVersions": ["v1"],
                "clientConfig": { "service": { "name": "a", "namespace": "b", "path": "/convert" } },
            } },
        },
    })
}

/// Converts the objects of such a kind.
fn convert(review: &Value) -> Value {
    let request = &review["request"];
    let mut object = request["objects"][0].clone();
    let to = &request["desiredAPIVersion"];
    let [from, into] = if to == "example.com/v2" {
        ["x", "y"]
    } else {
        ["y", "x"]
    };
    object["spec"] = json!({ into: object["spec"][from] });
    object["apiVersion"] = to.clone();
    let result = json!({ "status": "Success" });
    let response = json!({ "uid": request["uid"], "result": result, "convertedObjects": [object] });
    json!({ "response": response })
}

const THINGS: &str = "/namespaces/default/things";

fn things(version: &str, rest: &str) -> String {
    format!("/apis/example.com/{version}{THINGS}{rest}")
}

fn send(server: &ApiServer, method: &str, path: &str, body: &Value) -> (StatusCode, Value) {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("content-type", "application/merge-patch+json");
    server.ask(
        &User::admin(),
        request.body(Bytes::from(body.to_string())).unwrap(),
    )
}

/// A server with the kind and a labelled object.
fn with_a_thing() -> ApiServer {
    let server = ApiServer::new();
    server.webhooks(|_, review| Ok(convert(review)));
    let crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    assert!(send(&server, "POST", crds, &converted()).0.is_success());
    let thing = json!({
        "apiVersion": "example.com/v2", "kind": "Thing",
        "metadata": { "name": "a", "labels": { "l": "1" } }, "spec": { "y": 1 },
    });
    assert!(
        send(&server, "POST", &things("v2", ""), &thing)
            .0
            .is_success()
    );
    server
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_loses_an_object_spoils_no_list() {
    let server = with_a_thing();
    let request = Request::get(things("v2", "?watch=1&labelSelector=l%3D1"));
    let watch = server.answer(&User::admin(), request.body(Bytes::new()).unwrap());
    let mut events = watch.into_body();
    let mut next = async || {
        let frame = events.frame().await.unwrap().unwrap();
        serde_json::from_slice::<Value>(&frame.into_data().unwrap()).unwrap()
    };
    assert_eq!(next().await["object"]["spec"], json!({ "y": 1 }));
    let change = json!({ "metadata": { "labels": { "l": "2" } }, "spec": { "x": 2 } });
    let (code, changed) = send(&server, "PATCH", &things("v1", "/a"), &change);
    assert!(code.is_success(), "{changed}");
    let gone = next().await;
    assert_eq!(
        (&gone["type"], &gone["object"]["spec"]),
        (&json!("DELETED"), &json!({ "y": 1 }))
    );
    let revision = &changed["metadata"]["resourceVersion"];
    assert_eq!(gone["object"]["metadata"]["resourceVersion"], *revision);
    let (_, list) = send(&server, "GET", &things("v2", ""), &Value::Null);
    assert_eq!(list["items"][0]["spec"], json!({ "y": 2 }));
}

#[tokio::test(start_paused = true)]
async fn a_version_that_nobody_converts_cannot_be_listed() {
    let server = with_a_thing();
    let code = |server: &ApiServer, version: &str, rest: &str| {
        send(server, "GET", &things(version, rest), &Value::Null)
            .0
            .as_u16()
    };
    for answer in [json!([]), json!("no"), json!({}), json!({ "response": 1 })] {
        server.webhooks(move |_, _| Ok(answer.clone()));
        assert_eq!(code(&server, "v2", ""), 429);
        assert_eq!(code(&server, "v2", "/a"), 500);
        assert_eq!(code(&server, "v1", ""), 200);
    }
    server.webhooks(|_, review| Ok(convert(review)));
    assert_eq!(code(&server, "v2", ""), 200);
    // Converted objects are cached.
    server.webhooks(|_, _| Err("nobody is there".to_owned()));
    assert_eq!(code(&server, "v2", ""), 200);
    assert_eq!(code(&server, "v2", "/a"), 500);
}

#[tokio::test(start_paused = true)]
async fn a_watch_ends_with_its_crd() {
    let server = with_a_thing();
    let request = Request::get(things("v1", "?watch=1"));
    let watch = server.answer(&User::admin(), request.body(Bytes::new()).unwrap());
    let crd = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.com";
    assert!(send(&server, "DELETE", crd, &Value::Null).0.is_success());
    let seen = watch.into_body().collect().await.unwrap().to_bytes();
    let seen = String::from_utf8_lossy(&seen).into_owned();
    assert_eq!(seen.lines().count(), 2, "{seen}");
    let (code, _) = send(&server, "GET", &things("v1", ""), &Value::Null);
    assert_eq!(code, 404);
}
