//! A proxy between an operator and the API server: it counts what the operator asks for, and does
//! to it what networks and busy servers do.
//!
//! Plain HTTP towards the operator, whose kubeconfig says `server: http://127.0.0.1:PORT`; each of
//! its connections has one of its own to the API server, with TLS.

mod fault;
mod request;
mod watch;

use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::Response;
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::SendRequest;
use hyper::header::{CONTENT_TYPE, RETRY_AFTER};
use serde_json::json;

use super::net::{BoxError, Upstream};
use super::server::Server;
pub(crate) use fault::{Fault, Rule};
pub(crate) use request::{Purpose, Request};

type Answer = Response<UnsyncBoxBody<Bytes, BoxError>>;

/// A running proxy. Dropping it ends it, but for the connections that there are.
pub(crate) struct Proxy {
    server: Server,
    shared: Arc<Shared>,
}

struct Shared {
    upstream: Upstream,
    requests: Mutex<Vec<Request>>,
    rules: Mutex<Vec<Arc<Rule>>>,
    cut: tokio::sync::watch::Sender<()>,
}

impl Proxy {
    /// Starts a proxy in front of an API server, on a port of its own.
    pub(crate) fn start(upstream: Upstream) -> Self {
        let shared = Arc::new(Shared {
            upstream,
            requests: Mutex::default(),
            rules: Mutex::default(),
            cut: tokio::sync::watch::Sender::new(()),
        });
        let connected = {
            let shared = Arc::clone(&shared);
            move || {
                let (shared, upstream) = (Arc::clone(&shared), Connection::default());
                move |request| Arc::clone(&shared).answer(request, Arc::clone(&upstream))
            }
        };
        Self {
            server: Server::start(connected),
            shared,
        }
    }

    /// What a kubeconfig calls the server.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.server.host())
    }

    /// Lets a fault happen from now on. Where several rules match, the oldest counts.
    pub(crate) fn add(&self, rule: Rule) -> Arc<Rule> {
        let rule = Arc::new(rule);
        lock(&self.shared.rules).push(Arc::clone(&rule));
        rule
    }

    /// No fault happens any more.
    pub(crate) fn heal(&self) {
        lock(&self.shared.rules).clear();
    }

    /// Resets the connections of all watches.
    pub(crate) fn cut_watches(&self) {
        self.shared.cut.send_replace(());
    }

    /// Every request since the start, or since they were forgotten.
    pub(crate) fn requests(&self) -> Vec<Request> {
        lock(&self.shared.requests).clone()
    }

    /// Forgets all requests and returns them.
    pub(crate) fn take_requests(&self) -> Vec<Request> {
        std::mem::take(&mut *lock(&self.shared.requests))
    }
}

type Connection = Arc<tokio::sync::Mutex<Option<SendRequest<Incoming>>>>;

impl Shared {
    /// The first rule that has something against a request, or against an event of it.
    fn fault(&self, request: &Request, is_event: bool) -> Option<(Arc<Rule>, Fault)> {
        let rules = lock(&self.rules);
        let mut hits = rules.iter().filter_map(|rule| {
            let fault = rule.fault(request, is_event)?;
            Some((Arc::clone(rule), fault))
        });
        hits.next()
    }

    /// Answers a request; an error resets the connection.
    async fn answer(
        self: Arc<Self>,
        message: hyper::Request<Incoming>,
        upstream: Connection,
    ) -> Result<Answer, BoxError> {
        let request = Request::new(message.method(), message.uri());
        let fault = self.fault(&request, false);
        let index = {
            let mut requests = lock(&self.requests);
            let is_faulty = fault.is_some();
            requests.push(Request {
                is_faulty,
                ..request.clone()
            });
            requests.len() - 1
        };
        let answer = match fault {
            None => self.forward(&request, message, &upstream).await,
            Some((rule, fault)) => {
                self.disturb(fault, &rule, &request, message, &upstream)
                    .await
            }
        };
        if let (Ok(answer), Some(request)) = (&answer, lock(&self.requests).get_mut(index)) {
            request.status = Some(answer.status().as_u16());
        }
        answer
    }

    async fn disturb(
        self: &Arc<Self>,
        fault: Fault,
        rule: &Rule,
        request: &Request,
        message: hyper::Request<Incoming>,
        upstream: &Connection,
    ) -> Result<Answer, BoxError> {
        if matches!(fault, Fault::LostAnswer | Fault::HeldAfter) {
            self.forward(request, message, upstream).await?;
            rule.happened();
            if fault == Fault::HeldAfter {
                pending::<()>().await;
            }
            return Err("lost".into());
        }
        rule.happened();
        match fault {
            Fault::Reset => Err("reset".into()),
            Fault::Answer(code, retry_after) => failure(code, retry_after),
            Fault::HeldBefore => pending().await,
            Fault::Stall(time) => {
                tokio::time::sleep(time).await;
                self.forward(request, message, upstream).await
            }
            fault => unreachable!("{fault:?} is for events"),
        }
    }

    async fn forward(
        self: &Arc<Self>,
        request: &Request,
        message: hyper::Request<Incoming>,
        upstream: &Connection,
    ) -> Result<Answer, BoxError> {
        // Before the API server knows of the watch, so that no cut is missed.
        let cut = self.cut.subscribe();
        let mut upstream = upstream.lock().await;
        let mut sender = match upstream.take().filter(|sender| !sender.is_closed()) {
            Some(sender) => sender,
            None => self.upstream.connect().await?,
        };
        sender.ready().await?;
        let (head, body) = sender.send_request(message).await?.into_parts();
        *upstream = Some(sender);
        let body = if request.purpose == Purpose::Watch && head.status.is_success() {
            let events = watch::relay(Arc::clone(self), request.clone(), body, cut);
            events.boxed_unsync()
        } else {
            body.map_err(Into::into).boxed_unsync()
        };
        Ok(Response::from_parts(head, body))
    }
}

/// What the API server answers when it fails.
fn failure(code: u16, retry_after: Option<u64>) -> Result<Answer, BoxError> {
    let reason = match code {
        409 => "Conflict",
        410 => "Expired",
        429 => "TooManyRequests",
        500 => "InternalError",
        503 => "ServiceUnavailable",
        _ => "",
    };
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": "on purpose", "reason": reason, "code": code,
        "details": {"retryAfterSeconds": retry_after.unwrap_or(0)},
    });
    let mut answer = Response::builder()
        .status(code)
        .header(CONTENT_TYPE, "application/json");
    if let Some(seconds) = retry_after {
        answer = answer.header(RETRY_AFTER, seconds);
    }
    let body = Full::from(status.to_string()).map_err(|never| match never {});
    Ok(answer.body(body.boxed_unsync())?)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
