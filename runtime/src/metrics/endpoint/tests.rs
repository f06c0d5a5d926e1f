//! Who is allowed to scrape, with an API server in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hyper::{Method, Request, StatusCode, header};
use kube::Client;
use serde_json::json;

use super::{Gate, Metrics, Page, Peer};
use crate::identity::Identity;
use crate::testing::client;

const IDENTITY: Identity = Identity::new("app", "1.0.0");

/// Accepts the tokens `reader` and `stranger`, and `new` followed by anything. It allows all but
/// `stranger` to get /metrics. For the token `broken` it fails. Counts its requests.
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
                Some(user) if user.starts_with("new") || matches!(user, "reader" | "stranger") => {
                    json!({"authenticated": true, "user": {"username": user, "groups": ["all"]}})
                }
                _ => json!({"authenticated": false, "error": "invalid token"}),
            },
            "subjectaccessreviews" => {
                let wanted = json!({"path": "/metrics", "verb": "get"});
                assert_eq!(spec["nonResourceAttributes"], wanted);
                assert_eq!(spec["groups"], json!(["all"]));
                json!({"allowed": spec["user"] != "stranger"})
            }
            other => panic!("{other}"),
        };
        let answer = json!({"spec": spec, "status": status});
        (StatusCode::CREATED, answer.to_string())
    })
}

/// The metrics, for clients that the API server allows.
fn guarded(client: Client) -> Page {
    Page {
        metrics: Metrics::new(&IDENTITY),
        gate: Some(Gate::new(client)),
    }
}

/// The metrics, for everyone.
fn open() -> Page {
    Page {
        metrics: Metrics::new(&IDENTITY),
        gate: None,
    }
}

fn scrape(authorization: &str) -> Request<()> {
    let request = Request::get("/metrics").header(header::AUTHORIZATION, authorization);
    request.body(()).unwrap()
}

#[tokio::test]
async fn clients_that_are_allowed_can_scrape_and_no_others() {
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
        // Requests at the same time may have been reviewed at the same time.
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

/// The code of the answer to a scrape from an address.
async fn code(page: &Page, address: u8, token: &str) -> u16 {
    let mut request = scrape(&format!("Bearer {token}"));
    let peer = Peer([10, 0, 0, address].into());
    request.extensions_mut().insert(peer);
    page.answer(&request).await.status().as_u16()
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_made_up_tokens_is_no_flood_of_reviews() {
    let requests = Arc::default();
    let page = guarded(api_server(&requests));
    assert_eq!(code(&page, 1, "new").await, 200);
    requests.store(0, Ordering::Relaxed);

    // A minute of a hundred tokens a second from one address.
    let mut refused = 0;
    for number in 0..6_000 {
        let answer = code(&page, 2, &format!("made-up-{number}")).await;
        assert!([401, 429].contains(&answer), "{answer}");
        refused += usize::from(answer == 401);
        tokio::time::advance(Duration::from_millis(10)).await;
    }
    assert!((10..=20).contains(&refused), "{refused}");
    assert_eq!(requests.load(Ordering::Relaxed), refused);
    // A token that was allowed before, from wherever it comes, and a new one from another address.
    assert_eq!(code(&page, 2, "new").await, 200);
    assert_eq!(code(&page, 3, "new-too").await, 200);
    assert_eq!(code(&page, 2, "made-up").await, 429);
}

#[tokio::test(start_paused = true)]
async fn new_tokens_that_are_allowed_have_no_limit() {
    let page = guarded(api_server(&Arc::default()));
    for number in 0..100 {
        assert_eq!(code(&page, 1, &format!("new-{number}")).await, 200);
    }
}

#[tokio::test(start_paused = true)]
async fn addresses_together_have_a_limit_as_well() {
    let requests = Arc::default();
    let page = guarded(api_server(&requests));
    for address in 0..=255 {
        for number in 0..5 {
            code(&page, address, &format!("made-up-{address}-{number}")).await;
        }
    }
    assert!(requests.load(Ordering::Relaxed) <= 40);
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
