//! HTTP for the tests' own requests and for the proxy: on a runtime of their own, which the tests,
//! plain threads all of them, wait for.

use std::error::Error;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, LazyLock};

use http_body_util::Empty;
use hyper::Request;
use hyper::body::{Body, Bytes};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{AUTHORIZATION, HOST};
use hyper::http::request::Builder;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::runtime::{self, Runtime};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{
    self, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
};

/// Whatever went wrong on the way.
pub(crate) type BoxError = Box<dyn Error + Send + Sync>;

/// What every connection runs on.
pub(crate) fn runtime() -> &'static Runtime {
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
        let mut builder = runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).enable_all().build();
        runtime.expect("a runtime")
    });
    &RUNTIME
}

/// A port of this machine.
pub(crate) fn local(port: u16) -> SocketAddr {
    (Ipv4Addr::LOCALHOST, port).into()
}

/// The status of what a local port answers to plain HTTP, or none.
pub(crate) fn get(port: u16, path: &str) -> Option<u16> {
    let connect = async {
        let stream = TcpStream::connect(local(port)).await?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(sender)
    };
    status(connect, Request::get(path))
}

/// All that a server answers to plain HTTP, with its headers.
pub(crate) fn answer(address: &str, path: &str) -> String {
    let mut stream = std::net::TcpStream::connect(address).expect("a connection");
    let request = format!("GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

/// The status over TLS, with a token and whatever certificate the server has.
pub(crate) fn get_securely(port: u16, path: &str, token: &str) -> Option<u16> {
    let config = ClientConfig::builder()
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(AnyCertificate))
        .with_no_client_auth();
    let upstream = Upstream {
        address: local(port),
        tls: TlsConnector::from(Arc::new(config)),
    };
    let request = Request::get(path).header(AUTHORIZATION, format!("Bearer {token}"));
    status(upstream.connect(), request)
}

/// The status of the answer to a request over a connection that is yet to be opened.
fn status(
    connect: impl Future<Output = Result<SendRequest<Empty<Bytes>>, BoxError>>,
    request: Builder,
) -> Option<u16> {
    let request = request.header(HOST, "localhost").body(Empty::new());
    let answer = async {
        let answer = connect.await?.send_request(request?).await?;
        Ok::<_, BoxError>(answer.status().as_u16())
    };
    runtime().block_on(answer).ok()
}

#[derive(Debug)]
struct AnyCertificate;

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let algorithms = rustls::crypto::ring::default_provider().signature_verification_algorithms;
        algorithms.supported_schemes()
    }
}

/// Where an API server is, and how to know that it is the one.
#[derive(Clone)]
pub(crate) struct Upstream {
    address: SocketAddr,
    tls: TlsConnector,
}

impl Upstream {
    /// The API server on a local port, whose certificate `authority` vouches for.
    pub(crate) fn new(port: u16, authority: &Path) -> Self {
        let mut roots = RootCertStore::empty();
        let certificates = CertificateDer::pem_file_iter(authority).expect("certificates");
        roots.add_parsable_certificates(
            certificates.map(|certificate| certificate.expect("a certificate")),
        );
        let config = ClientConfig::builder()
            .with_root_certificates(roots)
            .with_no_client_auth();
        Self {
            address: local(port),
            tls: TlsConnector::from(Arc::new(config)),
        }
    }

    /// Opens a connection, which ends when what it returns is dropped.
    pub(crate) async fn connect<B>(&self) -> Result<SendRequest<B>, BoxError>
    where
        B: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
    {
        let stream = TcpStream::connect(self.address).await?;
        stream.set_nodelay(true)?;
        let name = ServerName::from(self.address.ip());
        let stream = self.tls.connect(name, stream).await?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(sender)
    }
}
