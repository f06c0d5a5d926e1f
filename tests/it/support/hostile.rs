//! A server of HTTP that does what no honest one does, and sees how much of it is taken.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rcgen::CertifiedKey;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;
use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};

/// How a server answers a request.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// A whole answer: what comes behind `HTTP/1.1 `, such as `200 OK\r\nX: y`, and the body.
    Whole(String, Vec<u8>),
    /// A head, and pieces of it again and again until the client hangs up.
    Endless(String, Vec<u8>),
    /// A head, and a byte again and again with pauses.
    Drip(String, Duration),
}

impl Reply {
    /// A whole answer.
    pub(crate) fn whole(head: impl Into<String>, body: impl Into<Vec<u8>>) -> Self {
        Self::Whole(head.into(), body.into())
    }

    /// An answer in chunks that never ends.
    pub(crate) fn endless(status: &str) -> Self {
        let size = 64 * 1024;
        let mut chunk = format!("{size:x}\r\n").into_bytes();
        chunk.extend(vec![b' '; size]);
        chunk.extend(b"\r\n");
        Self::Endless(
            format!("{status}\r\nTransfer-Encoding: chunked\r\n\r\n"),
            chunk,
        )
    }

    /// Headers that never end.
    pub(crate) fn headers() -> Self {
        let header = format!("X-{}: {}\r\n", "a".repeat(100), "b".repeat(1000));
        Self::Endless("200 OK\r\n".to_owned(), header.into_bytes())
    }
}

/// A running server, for as long as the tests run.
#[derive(Clone)]
pub(crate) struct Hostile {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
    sent: Arc<AtomicU64>,
}

impl Hostile {
    /// Starts it: `reply` is given its port and the first line of a request.
    pub(crate) fn start(reply: impl Fn(u16, &str) -> Reply + Send + Sync + 'static) -> Self {
        Self::with(None, reply)
    }

    /// Starts it with TLS, and gives the certificate that it shows, which is its own authority.
    pub(crate) fn with_tls(
        reply: impl Fn(u16, &str) -> Reply + Send + Sync + 'static,
    ) -> (Self, String) {
        let CertifiedKey { cert, signing_key } =
            rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("a certificate");
        let key = PrivatePkcs8KeyDer::from(signing_key.serialize_der());
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key.into());
        let config = Arc::new(config.expect("a certificate with its key"));
        (Self::with(Some(config), reply), cert.pem())
    }

    fn with(
        tls: Option<Arc<ServerConfig>>,
        reply: impl Fn(u16, &str) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let this = Self {
            port: listener.local_addr().expect("an address").port(),
            requests: Arc::default(),
            sent: Arc::default(),
        };
        let (server, reply) = (this.clone(), Arc::new(reply));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (server, reply, tls) = (server.clone(), Arc::clone(&reply), tls.clone());
                thread::spawn(move || match tls {
                    None => server.serve(stream, &*reply),
                    Some(config) => {
                        let connection = ServerConnection::new(config).expect("a configuration");
                        server.serve(StreamOwned::new(connection, stream), &*reply);
                    }
                });
            }
        });
        this
    }

    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The heads of all requests.
    pub(crate) fn requests(&self) -> Vec<String> {
        let requests = self.requests.lock();
        requests.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many bytes of answers the clients' side has taken, with what the sockets between hold.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    fn serve(&self, mut stream: impl Read + Write, reply: &impl Fn(u16, &str) -> Reply) {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            if !matches!(stream.read(&mut byte), Ok(1)) {
                return;
            }
            head.push(byte[0]);
        }
        let head = String::from_utf8_lossy(&head).into_owned();
        let line = head.lines().next().unwrap_or_default().to_owned();
        let requests = self.requests.lock();
        requests.unwrap_or_else(PoisonError::into_inner).push(head);
        let mut write = |bytes: &[u8]| {
            let written = stream.write_all(bytes).and_then(|()| stream.flush());
            self.sent.fetch_add(bytes.len() as u64, Ordering::Relaxed);
            written.is_ok()
        };
        match reply(self.port, &line) {
            Reply::Whole(head, body) => {
                let length = body.len();
                let head = format!(
                    "HTTP/1.1 {head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
                );
                let _ = write(head.as_bytes()) && write(&body);
            }
            Reply::Endless(head, piece) => {
                let head = format!("HTTP/1.1 {head}");
                let mut goes_on = write(head.as_bytes());
                while goes_on {
                    goes_on = write(&piece);
                }
            }
            Reply::Drip(head, pause) => {
                let head = format!("HTTP/1.1 {head}");
                let mut goes_on = write(head.as_bytes());
                while goes_on {
                    thread::sleep(pause);
                    goes_on = write(b" ");
                }
            }
        }
    }
}
