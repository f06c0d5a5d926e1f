//! Serves `/metrics`.

use std::error::Error as StdError;
use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use hyper::header::{self, HeaderMap};
use hyper::{Method, Request, StatusCode};
use kube::Client;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::access::{Gate, Unknown};
use super::answers::Access;
use super::{Metrics, MetricsOptions};
use crate::certificate::Certificate;
use crate::error::in_full;
use crate::serve::{Answer, IDLE, Peer, listen, serve, text, with};

/// The format that the registry writes.
const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// An error when the metrics endpoint starts.
///
/// ```
/// use rop_runtime::{EndpointError, ManagerError};
///
/// fn is_port_taken(error: &ManagerError) -> bool {
///     matches!(error, ManagerError::Metrics(EndpointError::Address(..)))
/// }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// The port is in use, or the address does not belong to this machine.
    #[error("cannot serve metrics on {0} (--metrics-bind-address)")]
    Address(SocketAddr, #[source] io::Error),
    /// The certificate or its key is invalid.
    #[error("cannot use the certificate for metrics (--metrics-cert-path)")]
    Certificate(#[source] Box<dyn StdError + Send + Sync>),
}

/// The port and the certificate for metrics.
pub(crate) struct Endpoint {
    listener: TcpListener,
    /// None if everyone can read them.
    certificate: Option<Certificate>,
}

impl Endpoint {
    /// Takes the port and loads the certificate, if there is an address. Fails if the port is taken, or
    /// the certificate cannot be used.
    pub(crate) fn bind(options: &MetricsOptions) -> Result<Option<Self>, EndpointError> {
        let Some(address) = options.metrics_bind_address.0 else {
            return Ok(None);
        };
        let certificate = if options.metrics_secure {
            let loaded = Certificate::load(options.files());
            Some(loaded.map_err(EndpointError::Certificate)?)
        } else {
            None
        };
        let taken = |error| EndpointError::Address(address, error);
        let listener = listen(address).map_err(taken)?;
        let address = listener.local_addr().map_err(taken)?;
        info!(%address, secure = options.metrics_secure, "serving metrics");
        Ok(Some(Self {
            listener,
            certificate,
        }))
    }

    /// Serves until `stop` is cancelled. `client` asks who is allowed to scrape.
    pub(crate) async fn serve(self, metrics: Metrics, client: Client, stop: CancellationToken) {
        let gate = self.certificate.as_ref().map(|_| Gate::new(client));
        let page = Arc::new(Page { metrics, gate });
        let scrape = move |request| {
            let page = Arc::clone(&page);
            async move { page.answer(&request).await }
        };
        let Some(certificate) = self.certificate else {
            return serve(self.listener, None, IDLE, scrape, stop).await;
        };
        tokio::select! {
            biased;
            () = serve(self.listener, Some(certificate.acceptor()), IDLE, scrape, stop) => {}
            never = certificate.keep_current() => match never {},
        }
    }
}

/// The page that is served.
struct Page {
    metrics: Metrics,
    /// None if everyone can read them.
    gate: Option<Gate>,
}

impl Page {
    async fn answer<B>(&self, request: &Request<B>) -> Answer {
        if request.uri().path() != "/metrics" {
            return text(StatusCode::NOT_FOUND, "Not found: see /metrics");
        }
        if ![Method::GET, Method::HEAD].contains(request.method()) {
            return text(StatusCode::METHOD_NOT_ALLOWED, "Method not allowed");
        }
        let Some(gate) = &self.gate else {
            return self.scrape();
        };
        let access = match bearer(request.headers()) {
            Some(token) => gate.check(token, client(request)).await,
            None => Ok(Access::Unauthorized),
        };
        match access {
            Ok(Access::Allowed) => self.scrape(),
            Ok(Access::Unauthorized) => {
                let answer = text(StatusCode::UNAUTHORIZED, "Unauthorized");
                with(answer, header::WWW_AUTHENTICATE, "Bearer")
            }
            Ok(Access::Forbidden) => text(StatusCode::FORBIDDEN, "Forbidden"),
            Err(Unknown::TooMany) => {
                let answer = text(StatusCode::TOO_MANY_REQUESTS, "Too many unknown tokens");
                with(answer, header::RETRY_AFTER, "5")
            }
            Err(Unknown::Failed(error)) => {
                warn!(
                    error = in_full(&error),
                    "cannot authorize a metrics request"
                );
                text(StatusCode::INTERNAL_SERVER_ERROR, "Authentication failed")
            }
        }
    }

    fn scrape(&self) -> Answer {
        match self.metrics.text() {
            Ok(metrics) => with(
                text(StatusCode::OK, metrics),
                header::CONTENT_TYPE,
                CONTENT_TYPE,
            ),
            Err(error) => {
                warn!(%error, "cannot write the metrics");
                let code = StatusCode::INTERNAL_SERVER_ERROR;
                text(code, "Cannot write the metrics")
            }
        }
    }
}

/// The address that a request comes from. Without one it counts as a client of its own.
fn client<B>(request: &Request<B>) -> IpAddr {
    let peer = request.extensions().get::<Peer>();
    peer.map_or(Ipv6Addr::UNSPECIFIED.into(), |peer| peer.0)
}

/// The token that a request carries.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    let token = Some(token.trim()).filter(|token| !token.is_empty());
    token.filter(|_| scheme.eq_ignore_ascii_case("bearer"))
}

#[cfg(test)]
mod tests;
