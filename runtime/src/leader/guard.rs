//! A client that can always read, but only write while this process is the leader.

use std::task::{Context, Poll, ready};

use futures::future::BoxFuture;
use http_body_util::BodyExt;
use hyper::{Method, Request, Response, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::Connect;
use hyper_util::rt::TokioTimer;
use kube::Config;
use kube::client::{Body, ConfigExt, DynBody};
use tower::util::{BoxCloneSyncService, MapResponse};
use tower::{BoxError, Layer, Service, ServiceBuilder, ServiceExt};

use super::Leadership;
use super::gate::Gate;
use crate::breakage::{Breakage, broken};
use crate::client::connector;
use crate::metrics::RequestMetrics;
#[cfg(any(test, feature = "testing"))]
use crate::simulation::network::Dial;
use crate::spawn::Executor;

/// The error of a write when this process is not the leader. A write that was interrupted after it
/// was sent may have been executed while this process was the leader.
///
/// # Examples
///
/// ```
/// use rop_runtime::NotLeading;
///
/// fn is_worth_a_warning(error: &kube::Error) -> bool {
///     !NotLeading::is_cause_of(error)
/// }
/// # assert!(is_worth_a_warning(&kube::Error::LinesCodecMaxLineLengthExceeded));
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("request not sent: this replica is not the leader")]
pub struct NotLeading;

impl NotLeading {
    /// Returns whether a request failed because this process is not the leader.
    #[must_use]
    pub fn is_cause_of(error: &kube::Error) -> bool {
        matches!(error, kube::Error::Service(cause) if cause.is::<Self>())
    }
}

type Answer = Response<Box<DynBody>>;
/// Sends requests and returns their responses.
pub(crate) type Exchange = BoxCloneSyncService<Request<Body>, Answer, BoxError>;

/// Adds a [`Guard`] to a `kube::client::ClientBuilder`.
#[derive(Clone)]
pub(crate) struct GuardLayer {
    leadership: Leadership,
    writes: Exchange,
}

impl GuardLayer {
    /// A guard of the connections to the API server of `config`. Writes are counted below it, because
    /// those that it refuses are never sent. Fails if the configuration cannot be used.
    pub(crate) fn new(
        config: &Config,
        leadership: Leadership,
        counted: RequestMetrics,
    ) -> kube::Result<Self> {
        // Above a proxy and below TLS.
        let connector = gated(connector(config), &leadership);
        let connector = config.rustls_https_connector_with_connector(connector)?;
        // Counts only what the gate lets through.
        let writes = over(config, connector, counted)?;
        Ok(Self { leadership, writes })
    }

    /// A guard of connections that are simulated.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn simulated(
        config: &Config,
        dial: Dial,
        leadership: Leadership,
        counted: RequestMetrics,
    ) -> kube::Result<Self> {
        let writes = over(config, gated(dial, &leadership), counted)?;
        Ok(Self { leadership, writes })
    }
}

impl<S> Layer<S> for GuardLayer {
    type Service = Guard<S, Exchange>;

    fn layer(&self, reads: S) -> Self::Service {
        Guard::new(self.leadership.clone(), reads, self.writes.clone())
    }
}

/// Gives each connection a gate.
fn gated<C>(
    connector: C,
    leadership: &Leadership,
) -> MapResponse<C, impl FnOnce(C::Response) -> Gate<C::Response> + Clone + use<C>>
where
    C: Service<Uri>,
{
    let leadership = leadership.clone();
    connector.map_response(move |stream| Gate { stream, leadership })
}

/// Like kube's own service, over other connections.
pub(crate) fn over<C>(
    config: &Config,
    connector: C,
    counted: RequestMetrics,
) -> kube::Result<Exchange>
where
    C: Connect + Clone + Send + Sync + 'static,
{
    let http = Client::builder(Executor)
        .pool_timer(TokioTimer::new())
        .build::<_, Body>(connector);
    let service = ServiceBuilder::new()
        .layer(config.base_uri_layer())
        .option_layer(config.auth_layer()?)
        .layer(config.extra_headers_layer()?)
        .map_response(|answer: Response<_>| {
            answer.map(|body: hyper::body::Incoming| {
                Box::new(body.map_err(BoxError::from)) as Box<DynBody>
            })
        })
        .map_err(BoxError::from)
        .layer(counted)
        .service(http);
    Ok(BoxCloneSyncService::new(service))
}

/// Lets reads through to one service, and writes to another while this process leads.
#[derive(Clone)]
pub(crate) struct Guard<R, W> {
    leadership: Leadership,
    reads: R,
    writes: W,
}

impl<R, W> Guard<R, W> {
    /// A guard of two services. A write is refused if this process does not lead when it is sent.
    pub(crate) fn new(leadership: Leadership, reads: R, writes: W) -> Self {
        Self {
            leadership,
            reads,
            writes,
        }
    }
}

impl<R, W> Service<Request<Body>> for Guard<R, W>
where
    R: Service<Request<Body>, Error = BoxError>,
    R::Future: Send + 'static,
    W: Service<Request<Body>, Response = R::Response, Error = BoxError>,
    W::Future: Send + 'static,
{
    type Response = R::Response;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Self::Response, BoxError>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        ready!(self.reads.poll_ready(context))?;
        self.writes.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        if matches!(*request.method(), Method::GET | Method::HEAD) {
            return Box::pin(self.reads.call(request));
        }
        let leadership = self.leadership.clone();
        if !leadership.may_write() && !broken(Breakage::NoGuard) {
            return Box::pin(async { Err(NotLeading.into()) });
        }
        let answer = self.writes.call(request);
        Box::pin(async move {
            // A write that the gate stopped fails with a broken connection.
            answer.await.map_err(|error| {
                if leadership.may_write() {
                    error
                } else {
                    NotLeading.into()
                }
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::time::Duration;

    use tokio::time::Instant;
    use tower::{BoxError, Service, service_fn};

    use super::{Body, Guard, Leadership, Method, NotLeading, Request};

    /// The service that a request reached, or why it reached none.
    async fn send(method: Method, leadership: &Leadership) -> Result<&'static str, BoxError> {
        let mut guard = Guard {
            leadership: leadership.clone(),
            reads: service_fn(async |_: Request<Body>| Ok::<_, BoxError>("read")),
            writes: service_fn(async |_: Request<Body>| Ok::<_, BoxError>("written")),
        };
        let request = Request::builder().method(method).body(Body::empty());
        guard.call(request?).await
    }

    #[tokio::test]
    async fn a_leader_writes_and_others_read() {
        let leadership = Leadership::none();
        leadership.extend(Instant::now() + Duration::from_secs(60));
        assert_eq!(send(Method::GET, &leadership).await.unwrap(), "read");
        assert_eq!(send(Method::PATCH, &leadership).await.unwrap(), "written");

        leadership.end();
        assert_eq!(send(Method::GET, &leadership).await.unwrap(), "read");
        for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            let error = send(method, &leadership).await.unwrap_err();
            assert!(NotLeading::is_cause_of(&kube::Error::Service(error)));
        }
    }

    #[tokio::test]
    async fn a_write_that_was_cut_off_says_why() {
        let leadership = Leadership::none();
        leadership.extend(Instant::now() + Duration::from_secs(60));
        let shared = leadership.clone();
        let mut guard = Guard {
            leadership,
            reads: service_fn(async |_: Request<Body>| Ok::<(), BoxError>(())),
            writes: service_fn(move |_: Request<Body>| {
                shared.end();
                async { Err(BoxError::from(io::Error::other("broken"))) }
            }),
        };
        let request = Request::delete("/").body(Body::empty()).unwrap();
        let error = guard.call(request).await.unwrap_err();
        assert!(error.is::<NotLeading>());
    }
}
