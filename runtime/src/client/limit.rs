//! Limits the response time of the API server. On a half-open connection, a response would never
//! arrive, and a reconcile, an event or the shutdown would wait forever. The limit is shorter
//! during a shutdown, so that a reconcile with hanging writes finishes before the process is
//! killed.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures::future::BoxFuture;
use http_body::{Body as HttpBody, Frame, SizeHint};
use hyper::{Method, Request, Response, Uri};
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;
use tower::{BoxError, Layer, Service};

/// The time limit for the headers of a response to a read, from when the request is sent, and for each further part of
/// any response.
const LIMIT: Duration = Duration::from_secs(20);

/// The default time limit for the headers of a response to a write. Before it responds, the API server calls webhooks,
/// each of which can take 30 s.
pub(crate) const LIMIT_OF_WRITES: Duration = Duration::from_secs(40);

/// The time limit once the shutdown has begun.
const LIMIT_IN_SHUTDOWN: Duration = Duration::from_secs(5);

/// How late a wait may end because the process is busy.
const LATE: Duration = Duration::from_secs(1);

/// Waits for the time limit, and returns how long that was.
async fn limit(limit: Duration, shutdown: CancellationToken) -> Waited {
    tokio::select! {
        biased;
        () = while_polled(limit) => Waited::Long(limit),
        () = async {
            shutdown.cancelled().await;
            sleep(LIMIT_IN_SHUTDOWN).await;
        } => Waited::InShutdown,
    }
}

/// Waits for a time, and again if nobody polled until long after: what a request waits for was not polled either. After
/// an error in one of its watches, kube's controller polls none for up to half a minute.
async fn while_polled(limit: Duration) {
    loop {
        let end = Instant::now() + limit;
        sleep_until(end).await;
        if Instant::now() < end + LATE {
            return;
        }
    }
}

/// How long the client waited for a response.
#[derive(Clone, Copy, Debug)]
pub(super) enum Waited {
    Long(Duration),
    InShutdown,
}

impl fmt::Display for Waited {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Long(limit) => write!(formatter, "{limit:?}"),
            Self::InShutdown => write!(formatter, "{LIMIT_IN_SHUTDOWN:?}, in the shutdown"),
        }
    }
}

/// Adds the limit to a client.
#[derive(Clone, Debug)]
pub(super) struct LimitLayer {
    /// The time limit of a write.
    pub(super) writes: Duration,
    /// Cancelled when the shutdown begins.
    pub(super) shutdown: CancellationToken,
}

impl<S> Layer<S> for LimitLayer {
    type Service = Limit<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Limit {
            inner,
            writes: self.writes,
            shutdown: self.shutdown.clone(),
        }
    }
}

/// A client with the limit.
#[derive(Clone, Debug)]
pub(super) struct Limit<S> {
    inner: S,
    writes: Duration,
    shutdown: CancellationToken,
}

/// A request, as errors name it.
#[derive(Clone, Debug)]
pub(super) struct RequestLine {
    method: Method,
    uri: Uri,
}

impl fmt::Display for RequestLine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.method, self.uri.path())
    }
}

/// A response that timed out. A write may have been executed anyway.
#[derive(Debug, thiserror::Error)]
pub(super) enum Timeout {
    /// No response.
    #[error("the API server did not answer `{0}` within {1}")]
    Headers(RequestLine, Waited),
    /// An incomplete response.
    #[error("the response of the API server to `{0}` stalled: no data for {1}")]
    Body(RequestLine, Waited),
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
        let request_line = RequestLine {
            method: request.method().clone(),
            uri: request.uri().clone(),
        };
        let is_read = matches!(request_line.method, Method::GET | Method::HEAD);
        let headers = if is_read { LIMIT } else { self.writes };
        let (answer, shutdown) = (self.inner.call(request), self.shutdown.clone());
        Box::pin(async move {
            let answer = tokio::select! {
                biased;
                answer = answer => answer.map_err(Into::into)?,
                waited = limit(headers, shutdown.clone()) => return Err(Timeout::Headers(request_line, waited).into()),
            };
            Ok(answer.map(|body| LimitedBody {
                inner: body,
                limited: (!is_stream(&request_line.uri)).then_some((request_line, shutdown)),
                wait: None,
            }))
        })
    }
}

/// Whether a response can be silent for long: that of a watch, or a followed log. kube's watcher has its own limit: it
/// ends a watch that is silent for 5 s longer than the API server keeps it open, which is 295 s by default.
fn is_stream(uri: &Uri) -> bool {
    let mut pairs = uri.query().unwrap_or_default().split('&');
    pairs.any(|pair| matches!(pair, "watch=true" | "watch=1" | "follow=true"))
}

/// The body of a response.
pub(super) struct LimitedBody<B> {
    inner: B,
    /// The request, and the token that is cancelled when the shutdown begins. `None` if there is no limit.
    limited: Option<(RequestLine, CancellationToken)>,
    /// Runs while the next part is awaited, but not while the reader handles the last one.
    wait: Option<BoxFuture<'static, Waited>>,
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
        let Some((request_line, shutdown)) = &this.limited else {
            return Poll::Pending;
        };
        let begin = || Box::pin(limit(LIMIT, shutdown.clone())) as BoxFuture<'static, Waited>;
        let waited = ready!(this.wait.get_or_insert_with(begin).as_mut().poll(context));
        this.wait = None;
        Poll::Ready(Some(
            Err(Timeout::Body(request_line.clone(), waited).into()),
        ))
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
