//! Serves webhooks over TLS.

use std::error::Error as StdError;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Body, Bytes};
use hyper::header::CONTENT_TYPE;
use hyper::{Method, Request, StatusCode};
use k8s_openapi::jiff::Timestamp;
use kube::Client;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tower::BoxError;
use tracing::{debug, error, info, warn};

use super::admission::{Answering, Call, Verdict};
use super::conversion::{Answer as Converted, Kinds};
use super::handler::{Handler, Handlers, Route};
use super::managed::{Keeper, Managed};
use super::metrics::Metrics;
use super::migration::Migration;
use super::options::WebhookOptions;
use crate::certificate::Certificate;
use crate::health::Check;
use crate::serve::{Answer, all_interfaces, listen, serve, text, with};
use crate::spawn::spawn_blocking;
use crate::{duration, metrics};

/// The largest review: two objects of 3 MB each, which the API server may send, and room for the rest.
const LARGEST: usize = 8 << 20;

/// The API server keeps connections that it does not use for 90 s. One that is closed just as it is used
/// again is a failed call, which is not repeated.
const IDLE: Duration = Duration::from_secs(120);

/// The time limit of an API server that does not say how long it waits.
const PATIENCE: Duration = Duration::from_secs(10);

/// The longest time limit that a webhook can have
/// (<https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#timeouts>). Anybody who
/// reaches the port can say another.
const LONGEST: Duration = Duration::from_secs(30);

/// What the answer needs to arrive.
const ON_THE_WAY: Duration = Duration::from_millis(200);

/// Why webhooks cannot be served.
///
/// ```
/// use rop_runtime::ManagerError;
/// use rop_runtime::webhook::WebhookError;
///
/// fn is_port_taken(error: &ManagerError) -> bool {
///     matches!(error, ManagerError::Webhook(WebhookError::Address(..)))
/// }
/// ```
#[derive(Debug, thiserror::Error)]
pub enum WebhookError {
    /// The port is taken.
    #[error("cannot serve webhooks on {0} (--webhook-port)")]
    Address(SocketAddr, #[source] io::Error),
    /// The certificate or its key is invalid.
    #[error("cannot use the certificate for webhooks (--webhook-cert-path)")]
    Certificate(#[source] Box<dyn StdError + Send + Sync>),
}

/// The port and the certificate of the webhooks.
pub(crate) struct Endpoint {
    listener: TcpListener,
    certificate: Certificate,
    /// Where the certificate comes from, if the operator makes it.
    managed: Option<Managed>,
    handlers: Handlers,
}

impl Endpoint {
    /// Takes the port and loads the certificate, if there are webhooks to serve.
    pub(crate) fn bind(
        options: &WebhookOptions,
        managed: Option<Managed>,
        handlers: Handlers,
    ) -> Result<Option<Self>, WebhookError> {
        if handlers.is_empty() {
            return Ok(None);
        }
        if !options.enable_webhooks {
            info!("webhooks are not served (--enable-webhooks)");
            return Ok(None);
        }
        if managed.is_none() && options.webhook_cert_path.is_none() {
            warn!(
                "the certificate of the webhooks is self-signed, and no API server trusts it (--webhook-cert-path)"
            );
        }
        let certificate = match &managed {
            Some(_) => Certificate::missing(),
            None => Certificate::load(options.files()),
        };
        let certificate = certificate.map_err(WebhookError::Certificate)?;
        let address = all_interfaces(options.webhook_port);
        let taken = |error| WebhookError::Address(address, error);
        let listener = listen(address).map_err(taken)?;
        let address = listener.local_addr().map_err(taken)?;
        info!(%address, "serving webhooks");
        Ok(Some(Self {
            listener,
            certificate,
            managed,
            handlers,
        }))
    }

    #[cfg(test)]
    pub(super) fn address(&self) -> SocketAddr {
        self.listener.local_addr().expect("an address")
    }

    /// Ready from the start, for the port is open, but for a certificate that does not exist yet or has ended: the API
    /// server trusts no other.
    pub(crate) fn check(&self) -> Check {
        let (is_missing, ends) = (self.certificate.is_missing(), self.certificate.ends());
        Check::new("webhooks", move || {
            let (is_missing, ends) = (is_missing.load(Ordering::Relaxed), ends.get());
            is_usable(is_missing, ends, crate::now().as_second())
        })
    }

    /// What the leader does for the certificate, if the operator makes it.
    pub(crate) fn keeper(&self, client: &Client) -> Option<Keeper> {
        let managed = self.managed.clone()?;
        Some(Keeper::new(managed, client))
    }

    /// What the leader does for the stored objects of the kinds that are converted, if there are any.
    pub(crate) fn migration(&self, operator: &str, client: &Client) -> Option<Migration> {
        let crds = self.handlers.conversions().crds();
        (!crds.is_empty()).then(|| Migration::new(operator, crds, client))
    }

    /// Serves until `stop` is cancelled.
    pub(crate) async fn serve(self, metrics: metrics::Metrics, stop: CancellationToken) {
        let counted = Metrics::new(self.handlers.paths());
        let ends = self.certificate.ends();
        metrics.register(|registry| {
            counted.register(registry, ends);
            self.handlers.conversions().register(registry);
        });
        let server = Arc::new(Server {
            handlers: self.handlers,
            metrics: counted,
        });
        let answer = move |request| {
            let server = Arc::clone(&server);
            async move { server.answer(request).await }
        };
        let acceptor = self.certificate.acceptor();
        let current = async {
            match self.managed {
                Some(managed) => managed.follow(self.certificate).await,
                None => match self.certificate.keep_current().await {},
            }
        };
        tokio::select! {
            biased;
            () = serve(self.listener, Some(acceptor), IDLE, answer, stop) => {}
            () = current => {}
        }
    }
}

/// Whether a certificate that ends at a time, in seconds since 1970, can be used now. A self-signed one has none.
fn is_usable(is_missing: bool, ends: i64, now: i64) -> Result<(), String> {
    match ends {
        _ if is_missing => Err("the certificate of the webhooks does not exist yet".to_owned()),
        1.. if ends <= now => {
            let ends = Timestamp::from_second(ends)
                .map_or_else(|_| ends.to_string(), |ends| ends.to_string());
            Err(format!("the certificate of the webhooks ended at {ends}"))
        }
        _ => Ok(()),
    }
}

/// Answers the calls of all paths.
struct Server {
    handlers: Handlers,
    metrics: Metrics,
}

impl Server {
    async fn answer<B>(&self, request: Request<B>) -> Answer
    where
        B: Body<Data = Bytes, Error: Into<BoxError>>,
    {
        let path = request.uri().path().to_owned();
        let Some(route) = self.handlers.get(&path) else {
            return text(StatusCode::NOT_FOUND, "Not found: no webhook has this path");
        };
        let in_flight = self.metrics.begin(&path);
        let ends = Instant::now() + limit(request.uri().query());
        let answer = match self.answered(&path, route, request, ends).await {
            Ok(answer) => {
                let answer = text(StatusCode::OK, answer.to_string());
                with(answer, CONTENT_TYPE, "application/json")
            }
            Err((code, why)) => text(code, why),
        };
        in_flight.answered(answer.status().as_u16());
        answer
    }

    /// The review with its response. Where there is none, a code and why.
    async fn answered<B>(
        &self,
        path: &str,
        route: Route,
        request: Request<B>,
        ends: Instant,
    ) -> Result<Value, (StatusCode, String)>
    where
        B: Body<Data = Bytes, Error: Into<BoxError>>,
    {
        let (answering, review) = asked(request, ends).await?;
        Ok(match route {
            Route::Admission(handler) => {
                let verdict = self.verdict(path, handler, review, ends).await?;
                answering.answer(&verdict)
            }
            Route::Conversion(kinds) => {
                let response = self.converted(kinds, review, ends).await;
                answering.respond(response)
            }
        })
    }

    /// Calls the user's function where it holds up nobody else. What it does not answer is answered for it, but
    /// that there is no answer in time is for the failure policy to judge, as where the API server stops waiting.
    async fn verdict(
        &self,
        path: &str,
        handler: Arc<dyn Handler>,
        mut review: Value,
        ends: Instant,
    ) -> Result<Verdict, (StatusCode, String)> {
        let call = match Call::read(review["request"].take()) {
            Ok(call) => call,
            Err(unreadable) => return Ok(unreadable),
        };
        let described = call.described();
        let work = spawn_blocking(move || handler.answer(&call));
        match timeout_at(ends, work).await {
            Ok(Ok(verdict)) => {
                debug!(allowed = verdict.is_allowed(), "{described}");
                Ok(verdict)
            }
            Ok(Err(_)) => {
                self.metrics.panicked();
                error!("a webhook panicked: {described}");
                Ok(Verdict::panicked(path))
            }
            Err(_) => {
                error!("a webhook takes too long: {described}");
                let why = format!("the webhook at {path} did not answer in time");
                Err((StatusCode::GATEWAY_TIMEOUT, why))
            }
        }
    }

    /// Converts the objects of a review.
    async fn converted(&self, kinds: Arc<Kinds>, mut review: Value, ends: Instant) -> Value {
        let request = review["request"].take();
        let work = spawn_blocking(move || kinds.answer(&request));
        let answer = match timeout_at(ends, work).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => Converted::failure(&error.to_string()),
            Err(_) => Converted::failure("the conversion did not end in time"),
        };
        if answer.has_panicked {
            self.metrics.panicked();
        }
        let result = &answer.response["result"];
        if let Some(why) = result["message"].as_str() {
            error!("a conversion failed: {why}");
        }
        answer.response
    }
}

/// How long the API server waits for the answer: it says so in the query.
fn limit(query: Option<&str>) -> Duration {
    let pairs = query.unwrap_or_default().split('&');
    let said = pairs
        .filter_map(|pair| pair.strip_prefix("timeout="))
        .find_map(|text| duration::parse(text).ok());
    said.unwrap_or(PATIENCE)
        .min(LONGEST)
        .saturating_sub(ON_THE_WAY)
}

/// Reads a review. What is none is refused.
async fn asked<B>(
    request: Request<B>,
    ends: Instant,
) -> Result<(Answering, Value), (StatusCode, String)>
where
    B: Body<Data = Bytes, Error: Into<BoxError>>,
{
    let refuse = |code, why: &str| Err((code, why.to_owned()));
    if request.method() != Method::POST {
        return refuse(StatusCode::METHOD_NOT_ALLOWED, "Method not allowed");
    }
    let type_ = request.headers().get(CONTENT_TYPE);
    if !type_.is_some_and(|type_| type_.as_bytes().starts_with(b"application/json")) {
        let why = "Expected a review as application/json";
        return refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, why);
    }
    let body = Limited::new(request.into_body(), LARGEST);
    let body = match timeout_at(ends, body.collect()).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let why = format!("Expected at most {LARGEST} bytes");
            return refuse(StatusCode::PAYLOAD_TOO_LARGE, &why);
        }
        Ok(Err(error)) => {
            return refuse(StatusCode::BAD_REQUEST, &format!("Broken request: {error}"));
        }
        Err(_) => {
            let why = "The request did not arrive in time";
            return refuse(StatusCode::REQUEST_TIMEOUT, why);
        }
    };
    let review: Value = serde_json::from_slice(&body).unwrap_or_default();
    let Some(answering) = Answering::of(&review) else {
        let why = "Expected a review with apiVersion, kind and uid";
        return refuse(StatusCode::BAD_REQUEST, why);
    };
    Ok((answering, review))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_waited_for_longer_than_a_webhook_may_take() {
        let milliseconds = |query| limit(query).as_millis();
        assert_eq!(milliseconds(Some("timeout=3s")), 2_800);
        assert_eq!(milliseconds(None), 9_800);
        assert_eq!(milliseconds(Some("timeout=10000h")), 29_800);
        assert_eq!(milliseconds(Some("timeout=0s")), 0);
    }

    #[test]
    fn a_certificate_can_be_used_from_when_it_is_there_until_it_ends() {
        assert_eq!(is_usable(false, 1_000, 999), Ok(()));
        assert_eq!(is_usable(false, 0, 999), Ok(()));
        assert!(is_usable(true, 0, 999).is_err());
        let ended = is_usable(false, 1_000, 1_000).unwrap_err();
        assert_eq!(
            ended,
            "the certificate of the webhooks ended at 1970-01-01T00:16:40Z"
        );
    }
}
