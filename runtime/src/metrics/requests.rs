//! Counts requests to the API server.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use futures::FutureExt;
use futures::future::BoxFuture;
use hyper::{Method, Request, Response, StatusCode};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use tower::{Layer, Service};

/// The code of a request without a response, as in client-go.
const NO_ANSWER: &str = "<error>";

/// `rest_client_requests_total`, by code, method and host. Clones share their values.
#[derive(Clone, Debug, Default)]
pub(super) struct Requests(Arc<Mutex<BTreeMap<[String; 3], u64>>>);

impl Requests {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<[String; 3], u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Collector for Requests {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let help =
            "Total number of HTTP requests to the API server, by status code, method and host";
        let name = "rest_client_requests";
        let mut family = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
        for ([code, method, host], count) in &*self.lock() {
            let labels = [("code", code), ("method", method), ("host", host)];
            ConstCounter::new(*count).encode(family.encode_family(&labels)?)?;
        }
        Ok(())
    }
}

/// A layer that counts the requests of a client. Place it below layers that retry or delay requests, so that it counts
/// those that are sent.
#[derive(Clone)]
pub(crate) struct RequestMetrics {
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
pub(crate) struct Counted<S> {
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

/// A request that was sent. It is counted when this is dropped, so that an abandoned request counts as well.
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
        let code = self.code.as_ref().map_or(NO_ANSWER, StatusCode::as_str);
        let (method, host) = (self.method.to_string(), self.metrics.host.clone());
        let labels = [code.to_owned(), method, host];
        *self.metrics.requests.lock().entry(labels).or_default() += 1;
    }
}
