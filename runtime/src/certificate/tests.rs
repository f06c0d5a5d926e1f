//! Which certificate a server has, seen by a client that trusts only one.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs, process};

use rcgen::{CertificateParams, KeyPair};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tokio_rustls::{TlsAcceptor, TlsConnector};

use super::{Certificate, Files, ring};

/// A certificate for 127.0.0.1 with its key.
pub(crate) struct Pair {
    pub(crate) der: CertificateDer<'static>,
    certificate: String,
    key: String,
}

impl Pair {
    pub(crate) fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
        let certificate = params.self_signed(&key).unwrap();
        Self {
            der: certificate.der().clone(),
            certificate: certificate.pem(),
            key: key.serialize_pem(),
        }
    }
}

/// A folder for one test, removed when it is dropped.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("certificate-{name}-{}", process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn files(&self) -> Files {
        Files {
            certificate: self.0.join("tls.crt"),
            key: self.0.join("tls.key"),
        }
    }

    pub(crate) fn write(&self, certificate: &Pair, key: &Pair) {
        fs::write(self.files().certificate, &certificate.certificate).unwrap();
        fs::write(self.files().key, &key.key).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(Path::new(&self.0));
    }
}

/// Connects over TLS, as a client that trusts only this certificate.
pub(crate) async fn connect(
    address: SocketAddr,
    trusted: &CertificateDer<'static>,
) -> std::io::Result<TlsStream<TcpStream>> {
    connect_with(address, trusted, &[]).await
}

/// Like [`connect`], with these protocols offered by the client.
pub(crate) async fn connect_with(
    address: SocketAddr,
    trusted: &CertificateDer<'static>,
    protocols: &[&str],
) -> std::io::Result<TlsStream<TcpStream>> {
    let stream = TcpStream::connect(address).await?;
    secure(stream, trusted, protocols).await
}

/// Like [`connect_with`], over an existing connection.
pub(crate) async fn secure(
    stream: TcpStream,
    trusted: &CertificateDer<'static>,
    protocols: &[&str],
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let protocols = protocols.iter().map(|name| name.as_bytes().to_vec());
    config.alpn_protocols = protocols.collect();
    let name = ServerName::from(stream.peer_addr()?.ip());
    TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await
}

/// Whether the certificate of a handshake is the expected one.
async fn shows(certificate: &Certificate, expected: &Pair) -> bool {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let acceptor: TlsAcceptor = certificate.acceptor().borrow().clone();
    let server = async { acceptor.accept(listener.accept().await.unwrap().0).await };
    let (_, client) = tokio::join!(server, connect(address, &expected.der));
    client.is_ok()
}

#[tokio::test]
async fn files_that_change_are_reloaded_unless_they_do_not_fit() {
    let folder = Folder::new("changes");
    let [old, new] = [Pair::new(), Pair::new()];
    folder.write(&old, &old);
    let mut certificate = Certificate::load(Some(folder.files())).unwrap();
    assert!(shows(&certificate, &old).await);
    assert!(!shows(&certificate, &new).await);

    // Only one of them has been written.
    folder.write(&new, &old);
    certificate.reload();
    assert!(shows(&certificate, &old).await);

    folder.write(&new, &new);
    certificate.reload();
    assert!(shows(&certificate, &new).await);
    assert!(!shows(&certificate, &old).await);

    // Missing for a while, for example while a volume is remounted.
    fs::remove_file(folder.files().certificate).unwrap();
    certificate.reload();
    assert!(shows(&certificate, &new).await);
}

#[tokio::test]
async fn files_that_come_late_are_loaded() {
    let folder = Folder::new("late");
    let pair = Pair::new();
    let mut certificate = Certificate::load(Some(folder.files())).unwrap();
    assert!(!shows(&certificate, &pair).await);
    #[cfg(feature = "webhook")]
    assert_eq!(certificate.ends().get(), 0);
    folder.write(&pair, &pair);
    certificate.reload();
    assert!(shows(&certificate, &pair).await);
    #[cfg(feature = "webhook")]
    assert!(certificate.ends().get() > crate::now().as_second());
}

#[test]
fn files_that_cannot_be_used_are_an_error() {
    let folder = Folder::new("bad");
    folder.write(&Pair::new(), &Pair::new());
    assert!(Certificate::load(Some(folder.files())).is_err());
}
