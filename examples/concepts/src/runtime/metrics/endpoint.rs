// Owned by rop: its commands rewrite this file, so make changes elsewhere [846275a67056]
//! Serves `/metrics`.

use std::error::Error as StdError;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use kube::Client;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::access::{Access, Gate};
use super::{Metrics, Options};
use crate::runtime::certificate::Certificate;
use crate::runtime::error::in_full;
use crate::runtime::serve::serve;

/// The format that the registry writes.
const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Why metrics cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    /// The port is taken, or there is no such address.
    #[error("cannot serve metrics on {0} (--metrics-bind-address)")]
    Address(SocketAddr, #[source] io::Error),
    /// The certificate or its key are no good.
    #[error("cannot use the certificate of the metrics (--metrics-cert-path)")]
    Certificate(#[source] Box<dyn StdError + Send + Sync>),
}

/// Where metrics are going to be served.
pub struct Endpoint {
    listener: TcpListener,
    /// None where they are open to everyone.
    certificate: Option<Certificate>,
}

impl Endpoint {
    /// Takes the port and loads the certificate, where metrics are asked for.
    ///
    /// # Errors
    /// Where the port is taken, or the certificate cannot be used.
    pub async fn bind(options: &Options) -> Result<Option<Self>, EndpointError> {
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
        let listener = TcpListener::bind(address).await.map_err(taken)?;
        let address = listener.local_addr().map_err(taken)?;
        info!(%address, secure = options.metrics_secure, "serving metrics");
        Ok(Some(Self {
            listener,
            certificate,
        }))
    }

    /// Serves until `stop` is cancelled. `client` asks who may scrape.
    pub async fn serve(self, metrics: Metrics, client: Client, stop: CancellationToken) {
        let Some(certificate) = self.certificate else {
            return serve(self.listener, None, open(metrics), stop).await;
        };
        let acceptor = Some(certificate.acceptor());
        tokio::select! {
            () = serve(self.listener, acceptor, guarded(metrics, client), stop) => {}
            never = certificate.keep_current() => match never {},
        }
    }
}

/// For everyone.
fn open(metrics: Metrics) -> Router {
    Router::new().route("/metrics", get(async move || scrape(&metrics)))
}

/// For those who may.
fn guarded(metrics: Metrics, client: Client) -> Router {
    let gate = Arc::new(Gate::new(client));
    open(metrics).route_layer(from_fn_with_state(gate, check))
}

fn scrape(metrics: &Metrics) -> Response {
    match metrics.text() {
        Ok(text) => ([(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response(),
        Err(error) => {
            warn!(%error, "cannot write the metrics");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

async fn check(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let access = match bearer(request.headers()) {
        Some(token) => gate.check(token).await,
        None => Ok(Access::Unauthorized),
    };
    match access {
        Ok(Access::Allowed) => next.run(request).await,
        Ok(Access::Unauthorized) => {
            let scheme = [(header::WWW_AUTHENTICATE, "Bearer")];
            (StatusCode::UNAUTHORIZED, scheme, "Unauthorized").into_response()
        }
        Ok(Access::Forbidden) => (StatusCode::FORBIDDEN, "Forbidden").into_response(),
        Err(error) => {
            warn!(error = in_full(&error), "cannot tell who may scrape");
            let text = "Authentication failed";
            (StatusCode::INTERNAL_SERVER_ERROR, text).into_response()
        }
    }
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
