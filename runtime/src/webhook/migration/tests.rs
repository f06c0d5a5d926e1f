//! Migrations in an in-memory API server. `tests/it/cluster/versions` of rop shows that a real one stores objects
//! again.

use kube::api::ApiResource;

use super::*;
use crate::testing::api_server::{ApiServer, Write};

const CRD: &str = "apps.shop.example.com";

/// A CRD with `v1` and `v2`, stored in `v2`.
fn crd(is_v1_served: bool, stored: &[&str]) -> CustomResourceDefinition {
    let version = |name: &str, served: bool| {
        json!({
            "name": name, "served": served, "storage": name == "v2",
            "schema": { "openAPIV3Schema": {
                "type": "object",
                "properties": { "spec": { "type": "object", "properties": {
                    "a": { "type": "string", "maxLength": 1 },
                    "b": { "type": "string" },
                }}},
            }},
        })
    };
    let crd = json!({
        "metadata": { "name": CRD, "generation": 1 },
        "spec": {
            "group": "shop.example.com", "scope": "Namespaced",
            "versions": [version("v1", is_v1_served), version("v2", true)],
            "names": { "plural": "apps", "singular": "app", "kind": "App" },
        },
        "status": { "storedVersions": stored },
    });
    serde_json::from_value(crd).unwrap()
}

fn resource(version: &str) -> ApiResource {
    ApiResource {
        group: "shop.example.com".to_owned(),
        version: version.to_owned(),
        api_version: format!("shop.example.com/{version}"),
        kind: "App".to_owned(),
        plural: "apps".to_owned(),
    }
}

fn server(is_v1_served: bool, stored: &[&str]) -> (ApiServer, Migration) {
    let server = ApiServer::new();
    server.add_namespace("shop");
    server.add_crd(&crd(is_v1_served, stored));
    let migration = Migration::new("shop", vec![CRD.to_owned()], &server.client());
    (server, migration)
}

/// Applies a spec to an object.
async fn apply(server: &ApiServer, version: &str, name: &str, manager: &str, spec: Value) {
    let resource = resource(version);
    let api = Api::<DynamicObject>::namespaced_with(server.client(), "shop", &resource);
    let object = json!({
        "apiVersion": resource.api_version, "kind": "App", "metadata": { "name": name }, "spec": spec,
    });
    let params = PatchParams::apply(manager);
    api.patch(name, &params, &Patch::Apply(object))
        .await
        .unwrap();
}

fn stored(server: &ApiServer) -> Value {
    let group = "apiextensions.k8s.io";
    let crd = server.object(group, "customresourcedefinitions", "", CRD);
    crd.unwrap()["status"]["storedVersions"].clone()
}

/// The writes since `known`: verb, object and manager.
fn written(server: &ApiServer, known: usize) -> Vec<String> {
    let writes = server.writes_since(known).into_iter().map(|write| {
        let Write {
            verb,
            resource,
            subresource,
            name,
            manager,
            ..
        } = write;
        format!("{verb} {resource}/{name} {subresource} by {manager}")
    });
    writes.collect()
}

#[tokio::test(start_paused = true)]
async fn all_objects_are_rewritten_before_the_list_is_trimmed() {
    let (server, mut migration) = server(true, &["v1", "v2"]);
    let names: Vec<_> = (0..=PAGE)
        .map(|number| format!("app-{number:03}"))
        .collect();
    for name in &names {
        apply(&server, "v1", name, "one", json!({ "a": "1" })).await;
    }
    let known = server.writes_since(0).len();
    assert!(migration.step().await);
    let mut expected: Vec<_> = names
        .iter()
        .map(|name| format!("patch apps/{name}  by shop/migration"))
        .collect();
    let trimmed = format!("patch customresourcedefinitions/{CRD} status by shop/migration");
    expected.push(trimmed);
    assert_eq!(written(&server, known), expected);
    assert_eq!(stored(&server), json!(["v2"]));

    let known = server.writes_since(0).len();
    assert!(migration.step().await);
    assert_eq!(written(&server, known), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn nothing_is_done_where_nothing_is_due() {
    let (server, mut migration) = server(true, &["v2"]);
    apply(&server, "v1", "app", "one", json!({ "a": "1" })).await;
    let known = server.writes_since(0).len();
    let begin = tokio::time::Instant::now();
    assert!(migration.step().await);
    assert_eq!(begin.elapsed(), Duration::ZERO);
    // A CRD that does not exist yet, or was deleted.
    migration.done = [("others.shop.example.com".to_owned(), None)].into();
    assert!(migration.step().await);
    assert_eq!(written(&server, known), Vec::<String>::new());
}

/// If the storage version changes again, the migration waits until other API servers know it.
#[tokio::test(start_paused = true)]
async fn what_changes_meanwhile_is_begun_anew() {
    let (server, mut migration) = server(true, &["v1", "v2"]);
    let crds = Api::<CustomResourceDefinition>::all(server.client());
    let change = async {
        sleep(SPREAD / 2).await;
        let patch = json!({ "spec": { "names": { "shortNames": ["a"] } } });
        let params = PatchParams::default();
        crds.patch(CRD, &params, &Patch::Merge(patch))
            .await
            .unwrap();
    };
    let begin = tokio::time::Instant::now();
    let (is_done, ()) = tokio::join!(migration.step(), change);
    assert!(is_done);
    assert_eq!(begin.elapsed(), SPREAD * 2);
    assert_eq!(stored(&server), json!(["v2"]));
}

#[tokio::test(start_paused = true)]
async fn fields_of_versions_that_are_not_served_move() {
    let (server, mut migration) = server(true, &["v2"]);
    apply(&server, "v1", "old", "one", json!({ "a": "1", "b": "1" })).await;
    apply(&server, "v2", "new", "one", json!({ "a": "1" })).await;
    let crds = Api::<CustomResourceDefinition>::all(server.client());
    let patch = json!({ "spec": { "versions": crd(false, &[]).spec.versions } });
    let params = PatchParams::default();
    crds.patch(CRD, &params, &Patch::Merge(patch))
        .await
        .unwrap();
    let known = server.writes_since(0).len();
    assert!(migration.step().await);
    assert_eq!(
        written(&server, known),
        ["patch apps/old  by shop/migration"]
    );
    let old = server
        .object("shop.example.com", "apps", "shop", "old")
        .unwrap();
    let managed = old["metadata"]["managedFields"].as_array().unwrap();
    let versions: Vec<_> = managed.iter().map(|entry| &entry["apiVersion"]).collect();
    assert_eq!(versions, ["shop.example.com/v2"]);
    // The manager still owns its fields: a field that it omits is removed.
    apply(&server, "v2", "old", "one", json!({ "a": "2" })).await;
    let old = server
        .object("shop.example.com", "apps", "shop", "old")
        .unwrap();
    assert_eq!(old["spec"], json!({ "a": "2" }));
}

#[tokio::test]
async fn an_object_that_changed_meanwhile_is_left_and_one_that_is_gone_is_not() {
    let (server, migration) = server(true, &["v1", "v2"]);
    apply(&server, "v1", "app", "one", json!({ "a": "1" })).await;
    let crd = migration.due(CRD).await.unwrap().unwrap();
    let patch = json!({ "metadata": { "resourceVersion": "1" } });
    for (name, is_done) in [("app", false), ("gone", true)] {
        let rewrite = Rewrite {
            namespace: Some("shop".to_owned()),
            name: name.to_owned(),
            patch: patch.clone(),
        };
        assert_eq!(
            migration.rewrite(&crd, rewrite).await.unwrap(),
            is_done,
            "{name}"
        );
    }
}

#[test]
fn two_entries_of_a_manager_become_one() {
    let entry = |manager: &str, version: &str, fields: Value| {
        serde_json::from_value(json!({
            "manager": manager, "operation": "Update", "apiVersion": version,
            "fieldsType": "FieldsV1", "fieldsV1": fields,
        }))
        .unwrap()
    };
    let managed = [
        entry("one", "g/v1", json!({ "f:spec": { "f:a": {} } })),
        entry("one", "g/v2", json!({ "f:spec": { "f:b": {} } })),
        entry("two", "g/v1", json!({ "f:metadata": {} })),
    ];
    let expected = vec![
        entry("one", "g/v2", json!({ "f:spec": { "f:a": {}, "f:b": {} } })),
        entry("two", "g/v2", json!({ "f:metadata": {} })),
    ];
    assert_eq!(
        fields::moved(&managed, &["g/v1".to_owned()], "g/v2"),
        Some(expected)
    );
    assert_eq!(fields::moved(&managed, &["g/v3".to_owned()], "g/v2"), None);
}

#[tokio::test(start_paused = true)]
async fn it_may_be_killed_anywhere() {
    for polls in 0.. {
        let (server, mut killed) = server(true, &["v1", "v2"]);
        for name in ["a", "b", "c"] {
            apply(&server, "v1", name, "one", json!({ "a": "1" })).await;
        }
        let mut stepping = Box::pin(killed.step());
        let mut has_ended = false;
        for _ in 0..polls {
            has_ended |= futures::poll!(&mut stepping).is_ready();
            if has_ended {
                break;
            }
            tokio::time::advance(SPREAD).await;
        }
        drop(stepping);
        let crds = vec![CRD.to_owned()];
        let mut next = Migration::new("shop", crds, &server.client());
        assert!(next.step().await);
        assert_eq!(stored(&server), json!(["v2"]), "after {polls} polls");
        let written = written(&server, 0);
        for name in ["a", "b", "c"] {
            let patched = format!("patch apps/{name}  by shop/migration");
            assert!(
                written.contains(&patched),
                "after {polls} polls: {written:?}"
            );
        }
        if has_ended {
            assert!(polls > 5, "it was killed nowhere");
            return;
        }
    }
}
