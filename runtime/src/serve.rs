//! Serves HTTP/1.1, and HTTP/2 over TLS. Clients cannot block each other: handshakes and requests
//! have timeouts, and if there are too many connections, one that waits for its client is closed.
//! Requests in progress are not interrupted.

mod activity;
mod address;
mod body;
mod connections;
#[cfg(test)]
mod tests;

use std::convert::Infallible;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;
use tracing::{debug, warn};

use crate::spawn::Executor;
use activity::Activity;
pub(crate) use address::{all_interfaces, listen, parse_address};
pub(crate) use body::Arriving;
#[cfg(feature = "webhook")]
pub(crate) use body::Cut;
use body::{Sent, sent};
use connections::{Connections, Room};

/// The time limit of a handshake and of the body of a request.
const PATIENCE: Duration = Duration::from_secs(if cfg!(test) { 15 } else { 10 });

/// The time limit of responses that are being sent when the shutdown begins.
const GRACE: Duration = Duration::from_secs(5);

/// The time limit for sending a response. No API server waits longer.
const SENDING: Duration = Duration::from_secs(30);

/// The size of the read buffer and of the write buffer of a connection.
const BUFFER: usize = 64 << 10;

/// Maximum number of concurrent requests on an HTTP/2 connection. A client that needs more opens another one.
const STREAMS: u32 = 64;

/// Maximum size of the headers of an HTTP/2 request, in bytes.
const HEADERS: u32 = 8 << 10;

/// The flow-control window of an HTTP/2 request: how much a client can send before it is read.
const WINDOW: u32 = 64 << 10;

/// The time after which an unused connection is closed.
pub(crate) const IDLE: Duration = PATIENCE;

/// The response to a request.
pub(crate) type Answer = Response<String>;

/// The address of the client, among the extensions of each request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// A response in plain text.
pub(crate) fn text(code: StatusCode, text: impl Into<String>) -> Answer {
    let mut answer = Response::new(text.into());
    *answer.status_mut() = code;
    with(answer, CONTENT_TYPE, "text/plain; charset=utf-8")
}

/// Sets a header of a response.
pub(crate) fn with(mut answer: Answer, name: HeaderName, value: &'static str) -> Answer {
    let value = HeaderValue::from_static(value);
    answer.headers_mut().insert(name, value);
    answer
}

/// Serves requests until `stop` is cancelled. Each new connection uses the current acceptor, and is closed when it has
/// not been used for the time `idle`.
pub(crate) async fn serve<H, F>(
    listener: TcpListener,
    tls: Option<watch::Receiver<TlsAcceptor>>,
    idle: Duration,
    handler: H,
    stop: CancellationToken,
) where
    H: Fn(Request<Arriving>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Answer> + Send + 'static,
{
    let mut connections = Connections::default();
    loop {
        let room = connections.room();
        tokio::select! {
            biased;
            () = stop.cancelled() => break,
            () = connections.changed(room) => {}
            (stream, peer) = accept(&listener), if matches!(room, Room::Free) => {
                connections.make_room();
                let peer = Peer(peer.ip().to_canonical());
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
                // Usually there are no file descriptors left, and the next attempt would fail as well.
                warn!(%error, "cannot accept a connection");
                sleep(Duration::from_secs(1)).await;
            }
        }
    }
}

/// A connection, and the handler of its requests.
struct Connection<H> {
    peer: Peer,
    idle: Duration,
    activity: Arc<Activity>,
    handler: H,
    stop: CancellationToken,
}

impl<H, F> Connection<H>
where
    H: Fn(Request<Arriving>) -> F + Sync + 'static,
    F: Future<Output = Answer> + Send + 'static,
{
    async fn serve(self, stream: TcpStream, tls: Option<TlsAcceptor>) {
        let Some(tls) = tls else {
            return self.answer_http1(stream).await;
        };
        let unfinished = self.activity.begin();
        let handshake = timeout(PATIENCE, tls.accept(stream));
        let stream = tokio::select! {
            biased;
            () = self.stop.cancelled() => return,
            () = self.activity.close.cancelled() => return,
            stream = handshake => stream,
        };
        drop(unfinished);
        match stream {
            Ok(Ok(stream)) if is_http2(&stream) => self.answer_http2(stream).await,
            Ok(Ok(stream)) => self.answer_http1(stream).await,
            Ok(Err(error)) => debug!(%error, "TLS handshake failed"),
            Err(_) => debug!("TLS handshake took more than {PATIENCE:?}"),
        }
    }

    async fn answer_http1(self, stream: impl AsyncRead + AsyncWrite + Unpin) {
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.idle)
            .max_buf_size(BUFFER)
            .serve_connection(
                TokioIo::new(stream),
                service_fn(|request| self.answer(request)),
            );
        self.drive(connection, http1::Connection::graceful_shutdown)
            .await;
    }

    async fn answer_http2(self, stream: impl AsyncRead + AsyncWrite + Unpin) {
        let connection = http2::Builder::new(Executor)
            .timer(TokioTimer::new())
            .max_concurrent_streams(STREAMS)
            .max_header_list_size(HEADERS)
            .initial_stream_window_size(WINDOW)
            .initial_connection_window_size(WINDOW * 4)
            .max_send_buf_size(BUFFER)
            .serve_connection(
                TokioIo::new(stream),
                service_fn(|request| self.answer(request)),
            );
        self.drive(connection, http2::Connection::graceful_shutdown)
            .await;
    }

    fn answer(
        &self,
        mut request: Request<Incoming>,
    ) -> impl Future<Output = Result<Response<Sent>, Infallible>> + Send + use<H, F> {
        let exchange = Arc::new(self.activity.begin());
        request.extensions_mut().insert(self.peer);
        let request = request.map(|body| Arriving::new(body, Arc::clone(&exchange)));
        let answer = (self.handler)(request);
        async move { Ok(sent(answer.await, exchange)) }
    }

    /// Runs a connection until it has ended. After `end`, it only finishes requests that have arrived.
    async fn drive<C: Future<Output = hyper::Result<()>>>(
        &self,
        connection: C,
        end: impl FnOnce(Pin<&mut C>),
    ) {
        let (activity, stop) = (&self.activity, &self.stop);
        let mut connection = pin!(connection);
        let mut ended = tokio::select! {
            biased;
            ended = connection.as_mut() => Some(ended),
            () = stop.cancelled() => None,
            // A graceful shutdown would wait for the same response.
            () = activity.close.cancelled() => {
                if activity.is_untaken() {
                    return debug!("closing a connection: the client does not read the response, and there are too many connections");
                }
                None
            }
            () = activity.unused_for(self.idle) => None,
            () = activity.stuck_for(SENDING) => return debug!("closing a connection: the client did not read the response within {SENDING:?}"),
        };
        if ended.is_none() {
            end(connection.as_mut());
            // It may have been unused for longer before, but its client does not know yet that it is closed.
            let unused = async {
                sleep(GRACE).await;
                activity.unused_for(GRACE).await;
            };
            ended = tokio::select! {
                biased;
                ended = connection => Some(ended),
                () = unused => None,
                () = activity.stuck_for(SENDING) => None,
                () = async { stop.cancelled().await; sleep(GRACE).await } => None,
            };
        }
        if let Some(Err(error)) = ended {
            debug!(%error, "connection failed");
        }
    }
}

/// Whether client and server agreed on HTTP/2.
fn is_http2(stream: &TlsStream<TcpStream>) -> bool {
    stream.get_ref().1.alpn_protocol() == Some(b"h2")
}
