//! Limits the time that the API server has to answer. On a connection that is half open no answer ever
//! comes, and whoever waits for it would wait forever: a reconcile, an event, the shutdown.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures::future::BoxFuture;
use http_body::{Body as HttpBody, Frame, SizeHint};
use hyper::{Method, Request, Response, Uri};
use tokio::time::{Sleep, sleep, timeout};
use tower::{BoxError, Layer, Service};

/// The time limit of the headers of an answer, counted from when the request leaves, and of each further
/// part of its body.
const LIMIT: Duration = Duration::from_secs(20);

/// Adds the limit to a client.
#[derive(Clone, Copy, Debug)]
pub(super) struct LimitLayer;

impl<S> Layer<S> for LimitLayer {
    type Service = Limit<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Limit { inner }
    }
}

/// A client with the limit.
#[derive(Clone, Debug)]
pub(super) struct Limit<S> {
    inner: S,
}

/// A request as errors name it.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    method: Method,
    uri: Uri,
}

impl fmt::Display for Asked {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.method, self.uri.path())
    }
}

/// What took too long. A write may have been carried out all the same.
#[derive(Debug, thiserror::Error)]
pub(super) enum Timeout {
    /// There is no answer.
    #[error("the API server did not answer `{0}` within {LIMIT:?}")]
    Headers(Asked),
    /// The answer is incomplete.
    #[error("the API server stopped in its answer to `{0}`: nothing came for {LIMIT:?}")]
    Body(Asked),
}

impl<S, A, B> Service<Request<A>> for Limit<S>
where
    S: Service<Request<A>, Response = Response<B>>,
    S::Error: Into<BoxError>,
    S::Future: Send + 'static,
{
    type Response = Response<LimitedBody<B>>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Self::Response, BoxError>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, request: Request<A>) -> Self::Future {
        let asked = Asked {
            method: request.method().clone(),
            uri: request.uri().clone(),
        };
        let answer = timeout(LIMIT, self.inner.call(request));
        Box::pin(async move {
            let Ok(answer) = answer.await else {
                return Err(Timeout::Headers(asked).into());
            };
            Ok(answer.map_err(Into::into)?.map(|body| LimitedBody {
                inner: body,
                limited: (!is_stream(&asked.uri)).then_some(asked),
                wait: None,
            }))
        })
    }
}

/// Whether an answer can be silent for long: that of a watch, or a log that is followed. kube's watcher
/// has a limit of its own: it ends a watch that is silent for 5 s longer than the API server keeps one
/// open, which is 295 s unless it is configured otherwise.
fn is_stream(uri: &Uri) -> bool {
    let mut pairs = uri.query().unwrap_or_default().split('&');
    pairs.any(|pair| matches!(pair, "watch=true" | "watch=1" | "follow=true"))
}

/// The body of an answer.
pub(super) struct LimitedBody<B> {
    inner: B,
    /// None if there is no limit.
    limited: Option<Asked>,
    /// Runs while the next part is waited for, and not while the reader is busy with the last.
    wait: Option<Pin<Box<Sleep>>>,
}

impl<B> HttpBody for LimitedBody<B>
where
    B: HttpBody + Unpin,
    B::Error: Into<BoxError>,
{
    type Data = B::Data;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, BoxError>>> {
        let this = &mut *self;
        if let Poll::Ready(frame) = Pin::new(&mut this.inner).poll_frame(context) {
            this.wait = None;
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let Some(asked) = &this.limited else {
            return Poll::Pending;
        };
        let wait = this.wait.get_or_insert_with(|| Box::pin(sleep(LIMIT)));
        ready!(wait.as_mut().poll(context));
        Poll::Ready(Some(Err(Timeout::Body(asked.clone()).into())))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

#[cfg(test)]
mod tests;
