//! Serves HTTP/1.1, over TLS or not, and lets no client hold up the others: headers and handshakes have
//! a time limit, and connections are counted.

use std::convert::Infallible;
use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use futures::FutureExt;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tracing::{debug, warn};

/// How many connections there may be. Others wait until one is closed.
const CONNECTIONS: usize = 64;

/// How long a handshake may take, and the headers of a request. A connection that is not used for as
/// long is closed.
const PATIENCE: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 10 });

/// How long the answer to a request may take that came before the shutdown.
const GRACE: Duration = Duration::from_secs(5);

/// What is answered to a request.
pub(super) type Answer = Response<String>;

/// An answer in plain text.
pub(super) fn text(code: StatusCode, text: impl Into<String>) -> Answer {
    let mut answer = Response::new(text.into());
    *answer.status_mut() = code;
    let type_ = HeaderValue::from_static("text/plain; charset=utf-8");
    answer.headers_mut().insert(CONTENT_TYPE, type_);
    answer
}

/// Answers requests until `stop` is cancelled. Each connection takes the acceptor that is current.
pub(super) async fn serve<H, F>(
    listener: TcpListener,
    tls: Option<watch::Receiver<TlsAcceptor>>,
    handler: H,
    stop: CancellationToken,
) where
    H: Fn(Request<Incoming>) -> F + Clone + Send + 'static,
    F: Future<Output = Answer> + Send + 'static,
{
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            stream = accept(&listener), if connections.len() < CONNECTIONS => {
                let tls = tls.as_ref().map(|tls| tls.borrow().clone());
                connections.spawn(connection(stream, tls, handler.clone(), stop.clone()));
            }
            Some(_) = connections.join_next() => {}
            () = stop.cancelled() => break,
        }
    }
    while connections.join_next().await.is_some() {}
}

async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(error) => {
                // Often for want of file descriptors, which does not pass at once.
                warn!(%error, "cannot accept a connection");
                sleep(Duration::from_secs(1)).await;
            }
        }
    }
}

async fn connection<H, F>(
    stream: TcpStream,
    tls: Option<TlsAcceptor>,
    handler: H,
    stop: CancellationToken,
) where
    H: Fn(Request<Incoming>) -> F,
    F: Future<Output = Answer>,
{
    let Some(tls) = tls else {
        return answer(stream, handler, stop).await;
    };
    let handshake = timeout(PATIENCE, tls.accept(stream));
    match stop.run_until_cancelled(handshake).await {
        Some(Ok(Ok(stream))) => answer(stream, handler, stop).await,
        Some(Ok(Err(error))) => debug!(%error, "TLS handshake failed"),
        Some(Err(_)) => debug!("TLS handshake took more than {PATIENCE:?}"),
        None => {}
    }
}

async fn answer<H, F>(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    handler: H,
    stop: CancellationToken,
) where
    H: Fn(Request<Incoming>) -> F,
    F: Future<Output = Answer>,
{
    let service = service_fn(move |request| handler(request).map(Ok::<_, Infallible>));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    let ended = tokio::select! {
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

#[cfg(test)]
mod tests;
