//! Elections in an API server that has only one lease.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::{Method, Request, Response, StatusCode};
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};
use tokio::time::{Instant, advance, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tower::{BoxError, service_fn};

use super::{Elector, Leadership, Lost, Settings};

const LEASE: Duration = Duration::from_secs(2);
const DEADLINE: Duration = Duration::from_millis(1_500);
const RETRY: Duration = Duration::from_millis(100);
/// Tolerance for the pauses between attempts.
const SLACK: Duration = Duration::from_secs(1);

/// The lease of the API server, and how its requests fail.
#[derive(Default)]
struct State {
    lease: Option<Value>,
    version: u64,
    /// All requests fail.
    broken: bool,
    /// The next write is carried out, but its answer is lost.
    mute: bool,
}

#[derive(Clone, Default)]
struct Server(Arc<Mutex<State>>);

impl Server {
    /// A process that takes part in the election.
    fn elector(&self, identity: &str) -> (Elector, Leadership) {
        let server = self.clone();
        let service = service_fn(move |request| {
            let server = server.clone();
            async move { server.answer(request).await }
        });
        let settings = Settings {
            name: "lease".to_owned(),
            namespace: "default".to_owned(),
            identity: identity.to_owned(),
            lease_duration: LEASE,
            renew_deadline: DEADLINE,
            retry_period: RETRY,
        };
        Elector::new(Client::new(service, "default"), settings)
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A field of the lease.
    fn spec(&self, field: &str) -> Value {
        self.change(|state| {
            state
                .lease
                .as_ref()
                .map(|lease| lease["spec"][field].clone())
        })
        .unwrap_or_default()
    }

    async fn answer(self, request: Request<Body>) -> Result<Response<Body>, BoxError> {
        let method = request.method().clone();
        let is_watch = request
            .uri()
            .query()
            .is_some_and(|query| query.contains("watch"));
        let body = request.into_body().collect_bytes().await?;
        let (code, answer) = self.change(|state| {
            if state.broken || is_watch {
                return (StatusCode::INTERNAL_SERVER_ERROR, Value::Null);
            }
            if method == Method::GET {
                let found = state.lease.clone();
                return found.map_or((StatusCode::NOT_FOUND, Value::Null), |it| {
                    (StatusCode::OK, it)
                });
            }
            state.write(serde_json::from_slice(&body).unwrap())
        });
        let answer = match answer {
            Value::Null => {
                json!({ "kind": "Status", "code": code.as_u16(), "reason": reason(code) })
            }
            lease => lease,
        };
        let answer = Response::builder()
            .status(code)
            .body(answer.to_string().into_bytes().into());
        Ok(answer?)
    }
}

impl State {
    fn write(&mut self, mut lease: Value) -> (StatusCode, Value) {
        let version = |lease: &Value| lease["metadata"]["resourceVersion"].clone();
        if self.lease.as_ref().map(version).unwrap_or_default() != version(&lease) {
            return (StatusCode::CONFLICT, Value::Null);
        }
        self.version += 1;
        lease["metadata"]["resourceVersion"] = json!(self.version.to_string());
        self.lease = Some(lease.clone());
        if std::mem::take(&mut self.mute) {
            (StatusCode::GATEWAY_TIMEOUT, Value::Null)
        } else {
            (StatusCode::OK, lease)
        }
    }
}

fn reason(code: StatusCode) -> &'static str {
    match code {
        StatusCode::NOT_FOUND => "NotFound",
        StatusCode::CONFLICT => "Conflict",
        _ => "InternalError",
    }
}

#[tokio::test(start_paused = true)]
async fn one_leads_until_it_releases_the_lease() {
    let server = Server::default();
    let (mut a, leads_a) = server.elector("a");
    let (mut b, leads_b) = server.elector("b");
    assert!(!leads_a.may_write());
    a.acquire().await;
    assert!(leads_a.may_write());

    let release = CancellationToken::new();
    let held = tokio::spawn(a.hold(release.clone()));
    // Longer than the lease: it is renewed.
    assert!(timeout(LEASE + RETRY * 3, b.acquire()).await.is_err());
    assert!(leads_a.may_write() && !leads_b.may_write());

    release.cancel();
    assert!(held.await.unwrap().is_ok());
    assert!(!leads_a.may_write());
    assert_eq!(server.spec("holderIdentity"), "");
    timeout(SLACK, b.acquire())
        .await
        .expect("the lease is free at once");
    assert!(leads_b.may_write());
    assert_eq!(server.spec("holderIdentity"), "b");
    assert_eq!(server.spec("leaseTransitions"), 1);
}

#[tokio::test(start_paused = true)]
async fn the_lease_of_a_dead_leader_is_taken_when_it_runs_out() {
    let server = Server::default();
    let (mut a, _) = server.elector("a");
    a.acquire().await;
    drop(a);
    let (mut b, _) = server.elector("b");
    let start = Instant::now();
    b.acquire().await;
    assert!(start.elapsed() >= LEASE, "{:?}", start.elapsed());
    assert!(start.elapsed() < LEASE + SLACK, "{:?}", start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_leader_without_an_api_server_stops_in_time() {
    let server = Server::default();
    let (mut a, leads) = server.elector("a");
    a.acquire().await;
    let start = Instant::now();
    server.change(|state| state.broken = true);
    let lost = a.hold(CancellationToken::new()).await;
    assert!(matches!(lost, Err(Lost::Expired(_))));
    assert!(!leads.may_write());
    assert!(start.elapsed() < DEADLINE + SLACK, "{:?}", start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_slept_through_its_time_does_not_renew() {
    let server = Server::default();
    let (mut a, leads) = server.elector("a");
    a.acquire().await;
    advance(DEADLINE).await;
    assert!(!leads.may_write());
    let renewed = server.spec("renewTime");
    let lost = a.hold(CancellationToken::new()).await;
    assert!(matches!(lost, Err(Lost::Expired(_))));
    assert_eq!(server.spec("renewTime"), renewed);
}

#[tokio::test(start_paused = true)]
async fn a_leader_whose_lease_was_taken_stops_at_once() {
    let server = Server::default();
    let (mut a, leads) = server.elector("a");
    a.acquire().await;
    server.change(|state| {
        let mut lease = state.lease.clone().unwrap();
        lease["spec"]["holderIdentity"] = json!("b");
        state.write(lease);
    });
    let lost = a.hold(CancellationToken::new()).await;
    assert!(matches!(lost, Err(Lost::Taken(holder)) if holder == "b"));
    assert!(!leads.may_write());
}

#[tokio::test(start_paused = true)]
async fn after_a_lost_answer_the_lease_is_read_again() {
    let server = Server::default();
    let (mut a, leads) = server.elector("a");
    server.change(|state| state.mute = true);
    a.acquire().await;
    assert!(leads.may_write());

    let held = tokio::spawn(a.hold(CancellationToken::new()));
    for _ in 0..8 {
        server.change(|state| state.mute = true);
        sleep(RETRY * 3).await;
    }
    assert!(leads.may_write() && !held.is_finished());
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_others_change_is_kept() {
    let server = Server::default();
    let (mut a, leads) = server.elector("a");
    a.acquire().await;
    let held = tokio::spawn(a.hold(CancellationToken::new()));
    for count in 0..20 {
        server.change(|state| {
            let mut lease = state.lease.clone().unwrap();
            lease["metadata"]["labels"] = json!({ "count": count.to_string() });
            state.write(lease);
        });
        sleep(RETRY / 2).await;
    }
    assert!(leads.may_write() && !held.is_finished());
}
