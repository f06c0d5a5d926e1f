//! Serves webhooks over TLS.

use std::error::Error as StdError;
use std::io;
use std::net::{Ipv6Addr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::{Body, Bytes};
use hyper::header::CONTENT_TYPE;
use hyper::{Method, Request, StatusCode};
use k8s_openapi::jiff::Timestamp;
use kube::Client;
use tokio::net::TcpListener;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tower::BoxError;
use tracing::{error, info, warn};

use super::answer::{Begun, Reply, begun};
use super::bodies::{Full, Part};
use super::budget::Budget;
use super::handler::{Handlers, Route};
use super::managed::{Keeper, Managed};
use super::metrics::Metrics;
use super::migration::Migration;
use crate::certificate::Certificate;
use crate::health::Check;
use crate::options::WebhookOptions;
use crate::serve::{Answer, Cut, Peer, all_interfaces, listen, serve, text, with};
use crate::spawn::spawn_blocking;
use crate::{duration, metrics};

/// Maximum size of a review: two objects of 3 MB each, which the API server may send, and the other fields.
const LARGEST: usize = 8 << 20;

/// The API server keeps unused connections for 90 s. If one were closed just as it is reused, the call would fail, and
/// is not repeated.
const IDLE: Duration = Duration::from_secs(120);

/// The default time limit, if the API server does not send one.
const PATIENCE: Duration = Duration::from_secs(10);

/// The maximum time limit of a webhook
/// (<https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#timeouts>). Any client
/// that reaches the port can send another one.
const LONGEST: Duration = Duration::from_secs(30);

/// The time that the response needs to arrive.
const ON_THE_WAY: Duration = Duration::from_millis(200);

/// An error when the webhook server starts.
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
#[non_exhaustive]
pub enum WebhookError {
    /// The port is in use.
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
    /// The source of the certificate, if the operator issues it.
    managed: Option<Managed>,
    handlers: Handlers,
    budget: Budget,
}

impl Endpoint {
    /// Binds the port and loads the certificate, if there are webhooks to serve.
    pub(crate) fn bind(
        options: &WebhookOptions,
        managed: Option<Managed>,
        handlers: Handlers,
    ) -> Result<Option<Self>, WebhookError> {
        if handlers.is_empty() {
            return Ok(None);
        }
        if !options.enable_webhooks {
            info!("webhooks are disabled (--enable-webhooks)");
            return Ok(None);
        }
        if managed.is_none() && options.webhook_cert_path.is_none() {
            warn!(
                "the webhook certificate is self-signed, so the API server does not trust it (--webhook-cert-path)"
            );
        }
        let certificate = match &managed {
            Some(_) => Certificate::missing(),
            None => Certificate::load(options.files()),
        }
        .map_err(WebhookError::Certificate)?;
        let requested = all_interfaces(options.webhook_port);
        let taken = |error| WebhookError::Address(requested, error);
        let listener = listen(requested).map_err(taken)?;
        let address = listener.local_addr().map_err(taken)?;
        info!(%address, "serving webhooks");
        Ok(Some(Self {
            listener,
            certificate,
            managed,
            handlers,
            budget: Budget::new(),
        }))
    }

    /// Like [`bind`](Self::bind), with this much memory.
    #[cfg(test)]
    pub(super) fn within(mut self, memory: usize) -> Self {
        self.budget = Budget::of(memory);
        self
    }

    #[cfg(test)]
    pub(super) fn address(&self) -> SocketAddr {
        self.listener.local_addr().expect("an address")
    }

    /// Ready once the certificate exists and has not expired, because the API server trusts no other. The port is
    /// already open.
    pub(crate) fn check(&self) -> Check {
        let (is_missing, ends) = (self.certificate.is_missing(), self.certificate.ends());
        Check::new("webhooks", move || {
            let (is_missing, ends) = (is_missing.load(Ordering::Relaxed), ends.get());
            is_usable(is_missing, ends, crate::now().as_second())
        })
    }

    /// The leader's part in the certificate, if the operator issues it.
    pub(crate) fn keeper(&self, client: &Client) -> Option<Keeper> {
        let managed = self.managed.clone()?;
        Some(Keeper::new(managed, client))
    }

    /// The leader's migration of stored objects of converted kinds, if there are any.
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
            budget: self.budget,
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

/// Whether a certificate that expires at a time, in seconds since 1970, can be used now. A self-signed one does not
/// expire.
fn is_usable(is_missing: bool, ends: i64, now: i64) -> Result<(), String> {
    match ends {
        _ if is_missing => Err("the webhook certificate does not exist yet".to_owned()),
        1.. if ends <= now => {
            let ends = Timestamp::from_second(ends)
                .map_or_else(|_| ends.to_string(), |ends| ends.to_string());
            Err(format!("the webhook certificate expired at {ends}"))
        }
        _ => Ok(()),
    }
}

/// Handles the calls of all paths.
struct Server {
    handlers: Handlers,
    metrics: Metrics,
    budget: Budget,
}

impl Server {
    async fn answer<B>(&self, request: Request<B>) -> Answer
    where
        B: Body<Data = Bytes, Error: Into<BoxError>>,
    {
        let path = request.uri().path().to_owned();
        let Some(route) = self.handlers.get(&path) else {
            return text(
                StatusCode::NOT_FOUND,
                "Not found: there is no webhook at this path",
            );
        };
        let in_flight = self.metrics.begin(&path);
        let ends = Instant::now() + limit(request.uri().query());
        let answer = match self.answered(&path, route, request, ends).await {
            Ok((answer, part)) => {
                let answer = text(StatusCode::OK, answer);
                let mut answer = with(answer, CONTENT_TYPE, "application/json");
                answer.extensions_mut().insert(part);
                answer
            }
            Err((code, why)) => text(code, why),
        };
        in_flight.answered(answer.status().as_u16());
        answer
    }

    /// The review with its response, and the bytes that are counted for it. Otherwise, a status code and a message.
    async fn answered<B>(
        &self,
        path: &str,
        route: Route,
        request: Request<B>,
        ends: Instant,
    ) -> Result<(String, Arc<Part>), Refusal>
    where
        B: Body<Data = Bytes, Error: Into<BoxError>>,
    {
        let peer = request
            .extensions()
            .get::<Peer>()
            .map_or(Ipv6Addr::UNSPECIFIED.into(), |peer| peer.0);
        let part = self.budget.bodies.begin(peer).map_err(|Full| busy())?;
        let text = Arc::new(arrived(request, ends, &part).await?);
        part.complete();
        let none = || {
            let why = "Expected a review with apiVersion, kind and uid";
            (StatusCode::BAD_REQUEST, why.to_owned())
        };
        let begun = begun(Arc::clone(&text), route.clone()).await;
        let Begun { described, weight } = begun.ok_or_else(none)?;
        // The work continues even if the client no longer waits: it holds its own reservation.
        let Ok(Some(reserved)) = timeout_at(ends, self.budget.reserve(weight)).await else {
            return Err(busy());
        };
        let most = self.budget.most;
        let (at, part) = (path.to_owned(), Arc::new(part));
        let held = (Arc::clone(&part), reserved);
        let work = spawn_blocking(move || {
            let answer = route.answer(&at, &text, most);
            drop(text);
            (answer, held)
        });
        let answer = async {
            let (answer, held) = work.await.ok()?;
            let answered = match answer? {
                Reply::Ready(answered) => answered,
                Reply::Waiting(waiting) => waiting.answered(path).await,
            };
            drop(held);
            Some(answered)
        };
        let Ok(answer) = timeout_at(ends, answer).await else {
            error!("a webhook timed out: {described}");
            let why = format!("the webhook at {path} did not answer in time");
            return Err((StatusCode::GATEWAY_TIMEOUT, why));
        };
        let answer = answer.ok_or_else(none)?;
        if answer.has_panicked {
            self.metrics.panicked();
            error!("a webhook panicked: {described}");
        }
        part.becomes(answer.text.len());
        Ok((answer.text, part))
    }
}

/// The time limit of the API server for the response, which it sends in the query.
fn limit(query: Option<&str>) -> Duration {
    let pairs = query.unwrap_or_default().split('&');
    pairs
        .filter_map(|pair| pair.strip_prefix("timeout="))
        .find_map(|text| duration::parse(text).ok())
        .unwrap_or(PATIENCE)
        .min(LONGEST)
        .saturating_sub(ON_THE_WAY)
}

/// Why there is no response: a status code, and a message.
type Refusal = (StatusCode, String);

/// There is no memory for a review. The API server retries if that is safe.
fn busy() -> Refusal {
    let why = "Too many requests: the limit of memory for concurrent reviews is reached";
    (StatusCode::TOO_MANY_REQUESTS, why.to_owned())
}

/// Waits for a complete request, and returns its body.
async fn arrived<B>(request: Request<B>, ends: Instant, part: &Part) -> Result<String, Refusal>
where
    B: Body<Data = Bytes, Error: Into<BoxError>>,
{
    let refuse = |code, why: &str| Err((code, why.to_owned()));
    if request.method() != Method::POST {
        return refuse(StatusCode::METHOD_NOT_ALLOWED, "Method not allowed");
    }
    let type_ = request.headers().get(CONTENT_TYPE);
    if !type_.is_some_and(|type_| type_.as_bytes().starts_with(b"application/json")) {
        let why = "Expected an AdmissionReview or ConversionReview as application/json";
        return refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, why);
    }
    let late = |_| {
        let why = "The request did not arrive in time";
        (StatusCode::REQUEST_TIMEOUT, why.to_owned())
    };
    let too_large = || {
        let why = format!("Expected at most {LARGEST} bytes");
        (StatusCode::PAYLOAD_TOO_LARGE, why)
    };
    let mut body = pin!(request.into_body());
    if body.size_hint().lower() > LARGEST as u64 {
        return Err(too_large());
    }
    let mut text = Vec::new();
    loop {
        let frame = tokio::select! {
            biased;
            () = part.cut.cancelled() => return Err(busy()),
            frame = timeout_at(ends, body.frame()) => frame.map_err(late)?,
        };
        let frame = match frame {
            None => break,
            Some(Ok(frame)) => frame,
            Some(Err(error)) => return Err(broken(error.into())),
        };
        let Ok(bytes) = frame.into_data() else {
            continue;
        };
        if text.len() + bytes.len() > LARGEST {
            return Err(too_large());
        }
        part.grow(bytes.len()).map_err(|Full| busy())?;
        text.extend_from_slice(&bytes);
    }
    String::from_utf8(text).or_else(|_| refuse(StatusCode::BAD_REQUEST, "Expected JSON"))
}

fn broken(error: BoxError) -> Refusal {
    let code = match error.downcast_ref() {
        Some(Cut::Slow) => StatusCode::REQUEST_TIMEOUT,
        Some(Cut::NoRoom) => StatusCode::SERVICE_UNAVAILABLE,
        None => StatusCode::BAD_REQUEST,
    };
    (code, format!("Broken request: {error}"))
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
            "the webhook certificate expired at 1970-01-01T00:16:40Z"
        );
    }
}
