//! Serves HTTP/1.1, with or without TLS. Clients cannot hold up each other: headers and handshakes have
//! a time limit, and if there are too many connections an idle one is closed.

mod address;
mod connections;
#[cfg(test)]
mod tests;

use std::convert::Infallible;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::yield_now;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tracing::{debug, warn};

pub(crate) use address::{all_interfaces, listen, parse_address};
use connections::{Activity, Connections};

/// The time limit of a handshake and of the headers of a request.
const PATIENCE: Duration = Duration::from_secs(if cfg!(test) { 4 } else { 10 });

/// The time limit of answers that are being sent when the shutdown begins.
const GRACE: Duration = Duration::from_secs(5);

/// How long a connection may stay open that is not used.
pub(crate) const IDLE: Duration = PATIENCE;

/// The answer to a request.
pub(crate) type Answer = Response<String>;

/// The address of the client, among the extensions of each request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// An answer in plain text.
pub(crate) fn text(code: StatusCode, text: impl Into<String>) -> Answer {
    let mut answer = Response::new(text.into());
    *answer.status_mut() = code;
    with(answer, CONTENT_TYPE, "text/plain; charset=utf-8")
}

/// The same answer with a header more, or with another value of it.
pub(crate) fn with(mut answer: Answer, name: HeaderName, value: &'static str) -> Answer {
    let value = HeaderValue::from_static(value);
    answer.headers_mut().insert(name, value);
    answer
}

/// Answers requests until `stop` is cancelled. Each new connection uses the current acceptor, and is closed
/// when it has not been used for as long as `idle` says.
pub(crate) async fn serve<H, F>(
    listener: TcpListener,
    tls: Option<watch::Receiver<TlsAcceptor>>,
    idle: Duration,
    handler: H,
    stop: CancellationToken,
) where
    H: Fn(Request<Incoming>) -> F + Clone + Send + 'static,
    F: Future<Output = Answer> + Send + 'static,
{
    let mut connections = Connections::default();
    loop {
        tokio::select! {
            biased;
            () = stop.cancelled() => break,
            () = connections.changed() => {}
            (stream, peer) = accept(&listener), if connections.has_room() => {
                let peer = Peer(peer.ip().to_canonical());
                let is_full = connections.make_room();
                let connection = Connection {
                    peer,
                    idle,
                    activity: connections.activity(),
                    handler: handler.clone(),
                    stop: stop.clone(),
                };
                let tls = tls.as_ref().map(|tls| tls.borrow().clone());
                let activity = Arc::clone(&connection.activity);
                connections.spawn(peer.0, activity, connection.serve(stream, tls));
                if is_full {
                    // So that its first request is read before the next connection takes its place.
                    yield_now().await;
                }
            }
        }
    }
    connections.join().await;
}

async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) => {
                // Often there are no file descriptors left, which does not change at once.
                warn!(%error, "cannot accept a connection");
                sleep(Duration::from_secs(1)).await;
            }
        }
    }
}

/// A connection, and how its requests are answered.
struct Connection<H> {
    peer: Peer,
    idle: Duration,
    activity: Arc<Activity>,
    handler: H,
    stop: CancellationToken,
}

impl<H, F> Connection<H>
where
    H: Fn(Request<Incoming>) -> F,
    F: Future<Output = Answer>,
{
    async fn serve(self, stream: TcpStream, tls: Option<TlsAcceptor>) {
        let Some(tls) = tls else {
            return self.answer(stream).await;
        };
        let handshake = timeout(PATIENCE, tls.accept(stream));
        match self.stop.run_until_cancelled(handshake).await {
            Some(Ok(Ok(stream))) => self.answer(stream).await,
            Some(Ok(Err(error))) => debug!(%error, "TLS handshake failed"),
            Some(Err(_)) => debug!("TLS handshake took more than {PATIENCE:?}"),
            None => {}
        }
    }

    async fn answer(self, stream: impl AsyncRead + AsyncWrite + Unpin) {
        let Self {
            peer,
            idle,
            activity,
            handler,
            stop,
        } = self;
        let service = service_fn(move |mut request| {
            let busy = Activity::begin(&activity);
            request.extensions_mut().insert(peer);
            let answer = handler(request);
            async move {
                let answer = answer.await;
                drop(busy);
                Ok::<_, Infallible>(answer)
            }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(idle)
            .serve_connection(TokioIo::new(stream), service);
        let mut connection = pin!(connection);
        let ended = tokio::select! {
            biased;
            ended = connection.as_mut() => Some(ended),
            () = stop.cancelled() => {
                connection.as_mut().graceful_shutdown();
                timeout(GRACE, connection).await.ok()
            }
        };
        if let Some(Err(error)) = ended {
            debug!(%error, "a connection ended early");
        }
    }
}
