// Owned by rop: its commands rewrite this file, so make changes elsewhere [4b84896f3276]
//! Serves HTTP/1.1, over TLS or not, and lets no client hold up the others: headers and handshakes have
//! a time limit, and connections are counted.

use std::pin::pin;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
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

/// Answers requests until `stop` is cancelled. Each connection takes the acceptor that is current.
pub(super) async fn serve(
    listener: TcpListener,
    tls: Option<watch::Receiver<TlsAcceptor>>,
    router: Router,
    stop: CancellationToken,
) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            stream = accept(&listener), if connections.len() < CONNECTIONS => {
                let tls = tls.as_ref().map(|tls| tls.borrow().clone());
                connections.spawn(connection(stream, tls, router.clone(), stop.clone()));
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

async fn connection(
    stream: TcpStream,
    tls: Option<TlsAcceptor>,
    router: Router,
    stop: CancellationToken,
) {
    let Some(tls) = tls else {
        return answer(stream, router, stop).await;
    };
    let handshake = timeout(PATIENCE, tls.accept(stream));
    match stop.run_until_cancelled(handshake).await {
        Some(Ok(Ok(stream))) => answer(stream, router, stop).await,
        Some(Ok(Err(error))) => debug!(%error, "TLS handshake failed"),
        Some(Err(_)) => debug!("TLS handshake took more than {PATIENCE:?}"),
        None => {}
    }
}

async fn answer(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    router: Router,
    stop: CancellationToken,
) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
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
