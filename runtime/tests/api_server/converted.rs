//! A kind in two versions on a real API server, whose conversion webhook is the operator.

use std::sync::Arc;
use std::time::Duration;

use futures::future::join;
use k8s_openapi::ByteString;
use kube::core::crd::merge_crds;
use kube::{Client, CustomResource, CustomResourceExt};
use rop_runtime::testing::api_server::ApiServer;
use rop_runtime::testing::{FakeApi, RoundTrip};
use rop_runtime::webhook::Conversion;
use rop_runtime::{Identity, Manager};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::hooks;
use crate::plane::Plane;

mod v1 {
    use super::*;

    #[derive(Clone, CustomResource, Debug, Deserialize, JsonSchema, Serialize)]
    #[kube(
        group = "clock.example.com",
        version = "v1",
        kind = "Alarm",
        namespaced
    )]
    pub(crate) struct AlarmSpec {
        #[schemars(regex(pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
        pub(crate) at: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub(crate) zone: Option<String>,
    }
}

mod v2 {
    use super::*;

    #[derive(Clone, CustomResource, Debug, Deserialize, JsonSchema, Serialize)]
    #[kube(
        group = "clock.example.com",
        version = "v2",
        kind = "Alarm",
        namespaced
    )]
    pub(crate) struct AlarmSpec {
        #[schemars(range(max = 23))]
        pub(crate) hour: u8,
        #[schemars(range(max = 59))]
        pub(crate) minute: u8,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub(crate) sound: Option<String>,
    }
}

impl From<v1::Alarm> for v2::Alarm {
    fn from(alarm: v1::Alarm) -> Self {
        let (hour, minute) = alarm.spec.at.split_once(':').unwrap_or_default();
        let spec = v2::AlarmSpec {
            hour: hour.parse().unwrap_or_default(),
            minute: minute.parse().unwrap_or_default(),
            sound: None,
        };
        let metadata = alarm.metadata;
        Self { metadata, spec }
    }
}

impl From<v2::Alarm> for v1::Alarm {
    fn from(alarm: v2::Alarm) -> Self {
        let spec = v1::AlarmSpec {
            at: format!("{:02}:{:02}", alarm.spec.hour, alarm.spec.minute),
            zone: None,
        };
        let metadata = alarm.metadata;
        Self { metadata, spec }
    }
}

fn crd()
-> k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition {
    merge_crds(vec![v1::Alarm::crd(), v2::Alarm::crd()], "v1").expect("one kind")
}

#[test]
fn the_conversion_is_right() {
    RoundTrip::<v1::Alarm, v2::Alarm>::new(&[crd()])
        .only_in_hub(&["spec.zone"])
        .only_in_spoke(&["spec.sound"])
        .check();
}

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const NAME: &str = "alarms.clock.example.com";
const JSON: &str = "application/json";
const MERGE: &str = "application/merge-patch+json";
const APPLY: &str = "application/apply-patch+yaml";

fn path(version: &str, rest: &str) -> String {
    format!("/apis/clock.example.com/{version}/namespaces/default/alarms{rest}")
}

fn alarm(version: &str, name: &str, spec: Value) -> Value {
    json!({
        "apiVersion": format!("clock.example.com/{version}"),
        "kind": "Alarm",
        "metadata": { "name": name },
        "spec": spec,
    })
}

async fn ask(client: &Client, method: &str, path: &str, type_: &str, body: &Value) -> (u16, Value) {
    let body = match body {
        Value::Null => Vec::new(),
        body => body.to_string().into_bytes(),
    };
    let request = hyper::Request::builder().method(method).uri(path);
    let request = request.header("content-type", type_);
    let request = request.body(kube::client::Body::from(body));
    let answer = client.send(request.expect("a request")).await;
    let answer = answer.expect("an answer");
    let code = answer.status().as_u16();
    let body = answer.into_body().collect_bytes().await.expect("a body");
    // A watch has a line for each event.
    let text = String::from_utf8_lossy(&body);
    let lines = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_default());
    let mut lines: Vec<Value> = lines.collect();
    let body = if lines.len() == 1 {
        lines.remove(0)
    } else {
        json!(lines)
    };
    (code, body)
}

#[track_caller]
fn is_done(answer: (u16, Value)) -> Value {
    let (code, body) = answer;
    assert!((200..300).contains(&code), "{code}: {body}");
    body
}

async fn get(client: &Client, version: &str, name: &str) -> Value {
    let path = path(version, &format!("/{name}"));
    is_done(ask(client, "GET", &path, JSON, &Value::Null).await)
}

/// The conversion webhook of the CRD.
fn operator() -> hooks::Answers {
    let register = |manager: &mut Manager<()>| {
        manager.conversion(Conversion::<v1::Alarm>::new().spoke::<v2::Alarm>());
    };
    let operator = FakeApi::new(Identity::new("clock", "1.0.0"), (), register);
    Arc::new(move |path: &str, review: &Value| operator.review(path, review))
}

/// The CRD, with a conversion webhook at an address.
fn converted_at(client_config: &Value) -> Value {
    let mut crd = json!(crd());
    let webhook = json!({ "conversionReviewVersions": ["v1"], "clientConfig": client_config });
    crd["spec"]["conversion"] = json!({ "strategy": "Webhook", "webhook": webhook });
    // As written by an older release: the zone is a number, which the type cannot parse.
    let zone = "/schema/openAPIV3Schema/properties/spec/properties/zone";
    for version in crd["spec"]["versions"].as_array_mut().expect("versions") {
        if let Some(zone) = version.pointer_mut(zone) {
            *zone = json!({ "x-kubernetes-int-or-string": true });
        }
    }
    crd
}

/// Installs the CRD with the conversion webhook. The CA bundle is set separately, as the operator does.
async fn install(client: &Client) {
    let (address, certificate) = hooks::serve_with(operator()).await;
    let url = format!("{address}/convert");
    let crd = converted_at(&json!({ "url": url }));
    is_done(ask(client, "POST", CRDS, JSON, &crd).await);
    let patch = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "spec": { "conversion": { "webhook": { "clientConfig": {
            "caBundle": ByteString(certificate.into_bytes()),
        } } } },
    });
    let patched = format!("{CRDS}/{NAME}?fieldManager=clock/webhooks&force=true");
    let patched = is_done(ask(client, "PATCH", &patched, APPLY, &patch).await);
    let conversion = &patched["spec"]["conversion"];
    assert_eq!(conversion["strategy"], "Webhook");
    let config = &conversion["webhook"]["clientConfig"];
    assert_eq!(config["url"], url);
    assert!(config["caBundle"].is_string());

    // For a short time after the creation of a CRD, its objects are not converted yet.
    let probe = alarm("v2", "try", json!({ "hour": 1, "minute": 2 }));
    let dry = path("v2", "?dryRun=All");
    for _ in 0..100 {
        if ask(client, "POST", &dry, JSON, &probe).await.0 == 201 {
            break;
        }
        sleep(Duration::from_millis(100)).await;
    }
    sleep(Duration::from_secs(1)).await;
}

#[tokio::test]
async fn a_real_one_converts_without_a_loss() {
    let Some(plane) = Plane::start().await else {
        return;
    };
    install(&plane.client).await;
    nothing_is_lost(&plane.client).await;
}

#[tokio::test]
async fn one_in_memory_converts_as_a_real_one() {
    let (server, operator) = (ApiServer::new(), operator());
    let client = server.client();
    server.webhooks(move |path, review| operator(path, review));
    let service = json!({ "service": { "name": "a", "namespace": "default", "path": "/convert" } });
    let crd = converted_at(&service);
    is_done(ask(&client, "POST", CRDS, JSON, &crd).await);
    nothing_is_lost(&client).await;
}

async fn nothing_is_lost(client: &Client) {
    let start = is_done(ask(client, "GET", &path("v1", ""), JSON, &Value::Null).await);
    let start = start["metadata"]["resourceVersion"]
        .as_str()
        .expect("a revision")
        .to_owned();

    changes_are_seen_in_both_versions(client).await;
    applied_fields_keep_their_managers(client).await;
    an_unreadable_object_leaves_the_others(client).await;
    watches_see_the_same(client, &start).await;
}

async fn changes_are_seen_in_both_versions(client: &Client) {
    let spec = json!({ "hour": 10, "minute": 30, "sound": "bell" });
    let created = alarm("v2", "a", spec.clone());
    let created = is_done(ask(client, "POST", &path("v2", ""), JSON, &created).await);
    assert_eq!(created["spec"], spec);
    assert_eq!(created["metadata"]["annotations"], Value::Null);
    let stored = get(client, "v1", "a").await;
    assert_eq!(stored["spec"], json!({ "at": "10:30" }));

    let patch = json!({ "spec": { "at": "11:31", "zone": "UTC" } });
    let patched = ask(client, "PATCH", &path("v1", "/a"), MERGE, &patch).await;
    assert_eq!(is_done(patched)["spec"]["zone"], "UTC");
    let read = get(client, "v2", "a").await;
    assert_eq!(
        read["spec"],
        json!({ "hour": 11, "minute": 31, "sound": "bell" })
    );
    let patch = json!({ "metadata": { "labels": { "loud": "no" } }, "spec": { "minute": 32 } });
    is_done(ask(client, "PATCH", &path("v2", "/a"), MERGE, &patch).await);
    let stored = get(client, "v1", "a").await;
    assert_eq!(stored["spec"], json!({ "at": "11:32", "zone": "UTC" }));
    assert_eq!(stored["metadata"]["labels"], json!({ "loud": "no" }));
    assert_eq!(stored["metadata"]["uid"], created["metadata"]["uid"]);

    // A complete update, as by a controller.
    let mut read = get(client, "v2", "a").await;
    read["spec"]["hour"] = json!(12);
    is_done(ask(client, "PUT", &path("v2", "/a"), JSON, &read).await);
    let stored = get(client, "v1", "a").await;
    assert_eq!(stored["spec"], json!({ "at": "12:32", "zone": "UTC" }));
}

async fn applied_fields_keep_their_managers(client: &Client) {
    let apply = async |version: &str, manager: &str, spec: Value| {
        let path = path(version, &format!("/b?fieldManager={manager}"));
        ask(client, "PATCH", &path, APPLY, &alarm(version, "b", spec)).await
    };
    let managers = |object: &Value| -> Vec<(String, String)> {
        let all = object["metadata"]["managedFields"].as_array();
        let all = all.into_iter().flatten();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut all: Vec<_> = all
            .map(|entry| (text(&entry["manager"]), text(&entry["apiVersion"])))
            .collect();
        all.sort();
        all
    };
    let entry =
        |manager: &str, version: &str| (manager.to_owned(), format!("clock.example.com/{version}"));
    is_done(apply("v1", "one", json!({ "at": "10:30", "zone": "UTC" })).await);
    let full = json!({ "hour": 10, "minute": 30, "sound": "bell" });
    let applied = is_done(apply("v2", "two", full.clone()).await);
    assert_eq!(applied["spec"], full);
    let both = [entry("one", "v1"), entry("two", "v2")];
    assert_eq!(managers(&applied), both);
    assert_eq!(managers(&get(client, "v1", "b").await), both);

    // Applying it again changes nothing, in any version.
    let again = is_done(apply("v1", "one", json!({ "at": "10:30", "zone": "UTC" })).await);
    let revision = |object: &Value| object["metadata"]["resourceVersion"].clone();
    assert_eq!(revision(&again), revision(&applied));
    let again = is_done(apply("v2", "two", full.clone()).await);
    assert_eq!(revision(&again), revision(&applied));

    // The second of two managers that set the same field in two versions gets a conflict.
    let (code, why) = apply("v2", "two", json!({ "hour": 11, "minute": 30 })).await;
    assert_eq!(code, 409, "{why}");
    let without = is_done(apply("v2", "two", json!({ "hour": 10, "minute": 30 })).await);
    assert_eq!(without["spec"], json!({ "hour": 10, "minute": 30 }));
    assert_eq!(managers(&without), both);
    let stored = get(client, "v1", "b").await;
    assert_eq!(stored["spec"], json!({ "at": "10:30", "zone": "UTC" }));
}

async fn an_unreadable_object_leaves_the_others(client: &Client) {
    let odd = alarm("v1", "c", json!({ "at": "10:30", "zone": 1 }));
    is_done(ask(client, "POST", &path("v1", ""), JSON, &odd).await);
    let read = get(client, "v2", "c").await;
    assert_eq!(read["spec"], Value::Null);
    for version in ["v1", "v2"] {
        let list = is_done(ask(client, "GET", &path(version, ""), JSON, &Value::Null).await);
        assert_eq!(list["items"].as_array().map(Vec::len), Some(3), "{version}");
    }
    let label = json!({ "metadata": { "labels": { "loud": "no" } } });
    let (code, why) = ask(client, "PATCH", &path("v2", "/c"), MERGE, &label).await;
    assert_eq!(code, 422, "{why}");
    is_done(ask(client, "PATCH", &path("v1", "/c"), MERGE, &label).await);
    assert_eq!(get(client, "v1", "c").await["spec"], odd["spec"]);
    is_done(ask(client, "DELETE", &path("v2", "/c"), JSON, &Value::Null).await);
}

async fn watches_see_the_same(client: &Client, start: &str) {
    let watch = |version: &str| {
        let query = format!("?watch=1&timeoutSeconds=2&resourceVersion={start}");
        let path = path(version, &query);
        async move {
            let events = ask(client, "GET", &path, JSON, &Value::Null);
            let events = timeout(Duration::from_secs(20), events).await;
            let events = is_done(events.expect("the end of a watch"));
            let events = events.as_array().expect("several events").iter();
            let seen = events.map(|event| {
                let metadata = &event["object"]["metadata"];
                (
                    event["type"].clone(),
                    metadata["name"].clone(),
                    metadata["resourceVersion"].clone(),
                )
            });
            seen.collect::<Vec<_>>()
        }
    };
    let (of_hub, of_spoke) = join(watch("v1"), watch("v2")).await;
    assert!(of_hub.len() > 8, "{of_hub:?}");
    assert_eq!(of_hub, of_spoke);
}
