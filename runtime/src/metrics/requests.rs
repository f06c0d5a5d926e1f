//! Counts the requests to the API server.

use std::task::{Context, Poll};

use futures::FutureExt;
use futures::future::BoxFuture;
use hyper::{Method, Request, Response, StatusCode};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use tower::{Layer, Service};

/// The code of a request that got no answer, as client-go has it.
const NO_ANSWER: &str = "<error>";

/// `rest_client_requests_total`, by code, method and host.
pub(super) type Requests = Family<[(&'static str, String); 3], Counter>;

/// A layer of a client that counts its requests. It belongs below layers that repeat requests or hold
/// them back, so that those are counted which are really sent.
#[derive(Clone)]
pub struct RequestMetrics {
    requests: Requests,
    host: String,
}

impl RequestMetrics {
    pub(super) fn new(requests: Requests, host: String) -> Self {
        Self { requests, host }
    }
}

impl<S> Layer<S> for RequestMetrics {
    type Service = Counted<S>;

    fn layer(&self, inner: S) -> Self::Service {
        let metrics = self.clone();
        Counted { inner, metrics }
    }
}

/// A service whose requests are counted.
#[derive(Clone)]
pub struct Counted<S> {
    inner: S,
    metrics: RequestMetrics,
}

impl<S, A, B> Service<Request<A>> for Counted<S>
where
    S: Service<Request<A>, Response = Response<B>>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<S::Response, S::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<A>) -> Self::Future {
        let mut sent = Sent {
            metrics: self.metrics.clone(),
            method: request.method().clone(),
            code: None,
        };
        let answer = self.inner.call(request);
        async move {
            let answer = answer.await?;
            sent.answered(answer.status());
            Ok(answer)
        }
        .boxed()
    }
}

/// A request that was sent. It is counted when this is dropped, so that one that nobody waited for any
/// more counts as well.
struct Sent {
    metrics: RequestMetrics,
    method: Method,
    code: Option<StatusCode>,
}

impl Sent {
    fn answered(&mut self, code: StatusCode) {
        self.code = Some(code);
    }
}

impl Drop for Sent {
    fn drop(&mut self) {
        let RequestMetrics { requests, host } = &self.metrics;
        let code = self.code.as_ref().map_or(NO_ANSWER, StatusCode::as_str);
        let labels = [
            ("code", code.to_owned()),
            ("method", self.method.to_string()),
            ("host", host.clone()),
        ];
        requests.get_or_create(&labels).inc();
    }
}
