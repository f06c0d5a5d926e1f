//! Who may scrape, with an API server that is played.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hyper::{Method, Request, StatusCode, header};
use kube::Client;
use serde_json::json;

use super::{Gate, Metrics, Page};
use crate::testing::client;

/// Knows the tokens `reader` and `stranger`, and lets the first of them get /metrics. For any other token
/// that starts with `broken` it fails. Counts what it is asked.
fn api_server(requests: &Arc<AtomicUsize>) -> Client {
    let requests = Arc::clone(requests);
    client(move |_, uri, body| {
        requests.fetch_add(1, Ordering::Relaxed);
        let review: serde_json::Value = serde_json::from_str(body).unwrap();
        let spec = &review["spec"];
        let status = match uri.path().rsplit('/').next().unwrap_or_default() {
            "tokenreviews" => match spec["token"].as_str() {
                Some("broken") => {
                    let code = StatusCode::INTERNAL_SERVER_ERROR;
                    return (code, json!({"code": 500}).to_string());
                }
                Some(user @ ("reader" | "stranger")) => {
                    json!({"authenticated": true, "user": {"username": user, "groups": ["all"]}})
                }
                _ => json!({"authenticated": false, "error": "invalid token"}),
            },
            "subjectaccessreviews" => {
                let wanted = json!({"path": "/metrics", "verb": "get"});
                assert_eq!(spec["nonResourceAttributes"], wanted);
                assert_eq!(spec["groups"], json!(["all"]));
                json!({"allowed": spec["user"] == "reader"})
            }
            other => panic!("{other}"),
        };
        let answer = json!({"spec": spec, "status": status});
        (StatusCode::CREATED, answer.to_string())
    })
}

/// The metrics, for those whom the API server lets.
fn guarded(client: Client) -> Page {
    Page {
        metrics: Metrics::new(),
        gate: Some(Gate::new(client)),
    }
}

/// The metrics, for everyone.
fn open() -> Page {
    Page {
        metrics: Metrics::new(),
        gate: None,
    }
}

fn scrape(authorization: &str) -> Request<()> {
    let request = Request::get("/metrics").header(header::AUTHORIZATION, authorization);
    request.body(()).unwrap()
}

#[tokio::test]
async fn those_who_may_can_scrape_and_nobody_else() {
    let page = guarded(api_server(&Arc::default()));
    for (authorization, code) in [
        ("", 401),
        ("Bearer", 401),
        ("Bearer ", 401),
        ("Basic reader", 401),
        ("Bearer nobody", 401),
        ("Bearer stranger", 403),
        ("Bearer broken", 500),
        ("Bearer reader", 200),
        ("bearer reader", 200),
    ] {
        let response = page.answer(&scrape(authorization)).await;
        assert_eq!(response.status(), code, "{authorization:?}");
    }
    let without = Request::get("/metrics").body(()).unwrap();
    let response = page.answer(&without).await;
    assert_eq!(response.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn an_answer_is_asked_for_once() {
    let requests = Arc::default();
    let page = guarded(api_server(&requests));
    for (token, reviews) in [("reader", 2), ("stranger", 2), ("nobody", 1)] {
        requests.store(0, Ordering::Relaxed);
        let request = scrape(&format!("Bearer {token}"));
        futures::future::join_all((0..20).map(|_| page.answer(&request))).await;
        // Those that came together may have asked together.
        let asked = requests.swap(0, Ordering::Relaxed);
        assert!((reviews..=reviews * 4).contains(&asked), "{token}: {asked}");
        page.answer(&request).await;
        assert_eq!(requests.load(Ordering::Relaxed), 0, "{token}");
    }
}

#[tokio::test]
async fn a_failed_review_is_not_an_answer() {
    let requests = Arc::default();
    let page = guarded(api_server(&requests));
    for _ in 0..2 {
        let response = page.answer(&scrape("Bearer broken")).await;
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
    }
    assert_eq!(requests.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn the_format_is_named() {
    let response = open().answer(&scrape("")).await;
    let format = response.headers()[header::CONTENT_TYPE].to_str().unwrap();
    assert!(format.starts_with("application/openmetrics-text; version=1.0.0"));
}

#[tokio::test]
async fn only_the_metrics_are_served_and_only_to_readers() {
    for (method, path, code) in [
        (Method::GET, "/metrics", 200),
        (Method::HEAD, "/metrics", 200),
        (Method::POST, "/metrics", 405),
        (Method::GET, "/", 404),
    ] {
        let request = Request::builder().method(&method).uri(path).body(());
        let response = open().answer(&request.unwrap()).await;
        assert_eq!(response.status(), code, "{method} {path}");
    }
}
