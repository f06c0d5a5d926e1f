//! Servers of plain HTTP, on ports of their own.

use std::net::SocketAddr;

use hyper::body::{Body, Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::net::{BoxError, local, runtime};

/// A running server. Dropping it ends it, but for the connections that there are.
pub(crate) struct Server {
    address: SocketAddr,
    listener: JoinHandle<()>,
}

impl Server {
    /// Starts a server. `connected` makes what answers the requests of one connection; where that
    /// fails, the connection is reset.
    pub(crate) fn start<C, S, A, B>(connected: C) -> Self
    where
        C: Fn() -> S + Send + 'static,
        S: Fn(Request<Incoming>) -> A + Send + 'static,
        A: Future<Output = Result<Response<B>, BoxError>> + Send + 'static,
        B: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
    {
        let listener = runtime().block_on(TcpListener::bind(local(0)));
        let listener = listener.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let listen = async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, connected()));
            }
        };
        Self {
            address,
            listener: runtime().spawn(listen),
        }
    }

    /// Where it is: an address and a port.
    pub(crate) fn host(&self) -> String {
        self.address.to_string()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

/// Serves a connection, and resets it where a request got no answer.
async fn serve<S, A, B>(stream: TcpStream, answer: S)
where
    S: Fn(Request<Incoming>) -> A,
    A: Future<Output = Result<Response<B>, BoxError>>,
    B: Body<Data = Bytes, Error: Into<BoxError>> + 'static,
{
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| Box::pin(answer(request)));
    let mut connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    if (&mut connection).await.is_err() {
        let stream = connection.into_parts().io.into_inner();
        let _ = stream.set_zero_linger();
    }
}
