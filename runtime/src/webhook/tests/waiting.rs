//! Asynchronous functions.

use std::sync::Arc;
use std::time::Duration;

use hyper::StatusCode;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::ResourceExt;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::{DEFAULTS, Served, VALIDATES, created, given, map, patch};
use crate::testing::FakeApi;
use crate::webhook::defaulting::Defaulting;
use crate::webhook::validator::Validating;
use crate::webhook::{Handlers, Operation, Request, Review, Validator};
use crate::{Error, Identity};

/// What a function waits for.
type Gate = Arc<Semaphore>;

async fn default(mut map: ConfigMap, request: Request<Gate>) -> Result<ConfigMap, Error> {
    pass(&request).await;
    map.immutable = Some(true);
    Ok(map)
}

async fn create(map: ConfigMap, request: Request<Gate>) -> Result<Review, Error> {
    let data = map.data.unwrap_or_default();
    match data.get("do").map(String::as_str) {
        Some("panic") => panic!("on purpose"),
        Some("fail") => return Err(Error::transient("the other system does not answer")),
        Some("pass") => {}
        _ => pass(&request).await,
    }
    Ok(Review::new())
}

async fn update(map: ConfigMap, before: ConfigMap, _: Request<Gate>) -> Result<Review, Error> {
    let mut review = Review::new();
    if map.data != before.data {
        review.forbidden("data", "it cannot be changed");
    }
    Ok(review)
}

async fn delete(map: ConfigMap, _: Request<Gate>) -> Result<Review, Error> {
    let mut review = Review::new();
    review.deny(format!("{} stays", map.name_any()));
    Ok(review)
}

async fn pass(request: &Request<Gate>) {
    request.state.acquire().await.unwrap().forget();
}

fn served(name: &str) -> (Served, Gate) {
    let gate = Gate::new(Semaphore::new(0));
    let validator = Validator::new()
        .create_async(create)
        .update_async(update)
        .delete_async(delete);
    let mut handlers = Handlers::default();
    let of_gate = || {
        let mut given = given(());
        let view = std::mem::take(&mut given.view);
        super::HandlerContext {
            state: Arc::new(Arc::clone(&gate)),
            view,
        }
    };
    let faults = [
        handlers.add(DEFAULTS, Defaulting::waiting(of_gate(), default)),
        handlers.add(VALIDATES, Validating::new(of_gate(), validator)),
    ];
    assert_eq!(faults, [None, None]);
    (Served::with(name, handlers), gate)
}

fn doing(what: &str) -> Value {
    created(&json!({ "do": what }))
}

#[tokio::test]
async fn one_that_waits_holds_up_no_other() {
    let (served, gate) = served("waiting");
    let slow = async {
        let waiting = (0..40).map(|_| served.review(VALIDATES, doing("wait")));
        futures::future::join_all(waiting).await
    };
    let quick = async {
        let answer = served.review(VALIDATES, doing("pass")).await;
        gate.add_permits(40);
        answer
    };
    let (slow, quick) = futures::future::join(slow, quick).await;
    assert_eq!(quick["allowed"], true);
    assert!(slow.iter().all(|answer| answer["allowed"] == true));
    assert_eq!(gate.available_permits(), 0);
    served.end().await;
}

#[tokio::test]
async fn what_it_finds_is_answered() {
    let (served, gate) = served("found");
    gate.add_permits(1);
    let answer = served.review(DEFAULTS, doing("pass")).await;
    let add = json!([{"op": "add", "path": "/immutable", "value": true}]);
    assert_eq!(patch(&answer), add);

    let before = map(&json!({"a": "b"}));
    let update = json!({"operation": "UPDATE", "object": map(&json!({})), "oldObject": before});
    let answer = served.review(VALIDATES, update).await;
    assert_eq!(answer["status"]["code"], 422);
    let unreadable = json!({"metadata": 1});
    let update =
        json!({"operation": "UPDATE", "object": doing("pass")["object"], "oldObject": unreadable});
    let answer = served.review(VALIDATES, update).await;
    assert_eq!(answer["allowed"], true);
    assert_eq!(answer["warnings"].as_array().unwrap().len(), 1);
    let delete = json!({"operation": "DELETE", "object": null, "oldObject": before});
    let answer = served.review(VALIDATES, delete).await;
    assert_eq!(answer["status"]["message"], "a stays");
    served.end().await;
}

#[tokio::test]
async fn one_that_fails_rejects_and_one_that_panics_is_counted() {
    let (served, _gate) = served("failing");
    let answer = served.review(VALIDATES, doing("fail")).await;
    let status = json!({
        "code": 500,
        "reason": "InternalError",
        "message": "cannot review the object: the other system does not answer",
    });
    assert_eq!(
        (&answer["allowed"], &answer["status"]),
        (&json!(false), &status)
    );
    let answer = served.review(VALIDATES, doing("panic")).await;
    let message = "the webhook at /validate--v1-configmap panicked";
    assert_eq!(answer["status"]["message"], message);
    let metrics = served.metrics.text().unwrap();
    assert!(
        metrics.contains("controller_runtime_webhook_panics_total 1"),
        "{metrics}"
    );
    served.end().await;
}

/// It ends, because the client no longer waits.
#[tokio::test]
async fn one_that_takes_too_long_ends() {
    let (served, gate) = served("late");
    let path = format!("{VALIDATES}?timeout=1s");
    let (code, why) = served.ask(&path, doing("wait")).await;
    assert_eq!(code, StatusCode::GATEWAY_TIMEOUT, "{why}");
    gate.add_permits(1);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(gate.available_permits(), 1);
    served.end().await;
}

async fn first(secret: Secret, request: Request) -> Result<Review, Error> {
    let mut review = Review::new();
    let others = request.cached::<Secret>().await?.list();
    if let Some(other) = others.first() {
        let (other, name) = (other.name_any(), secret.name_any());
        review.deny(format!("{other} was here before {name}"));
    }
    Ok(review)
}

fn secret(name: &str) -> Secret {
    let mut secret = Secret::default();
    secret.metadata.name = Some(name.to_owned());
    secret.metadata.namespace = Some("shop".to_owned());
    secret
}

#[tokio::test]
async fn it_sees_what_the_manager_reads() {
    let api = FakeApi::new(Identity::new("app", "1.0.0"), (), |manager| {
        manager.reads::<Secret>();
        manager.validating_webhook("/validate", Validator::new().create_async(first));
    });
    let review = first(secret("b"), api.request(Operation::Create)).await;
    assert!(review.unwrap().is_allowed());
    api.put(&secret("a"));
    let review = first(secret("b"), api.request(Operation::Create)).await;
    assert_eq!(review.unwrap().denial(), Some("a was here before b"));

    let request = api.request(Operation::Create);
    let error = request.cached::<ConfigMap>().await.err().unwrap();
    let expected =
        "webhooks have no cache of configmaps: add `manager.reads::<ConfigMap>()` to `register`";
    assert_eq!(error.to_string(), expected);
    assert!(request.client().is_ok());
    let error = Request::new(Operation::Create, ()).client().err().unwrap();
    assert_eq!(error.reason(), "NoCluster");
}
