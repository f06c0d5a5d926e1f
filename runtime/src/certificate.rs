//! The certificate of a server: read from files, which can change at any time, or self-signed.

use std::convert::Infallible;
use std::error::Error as StdError;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{fs, io};

#[cfg(feature = "webhook")]
use prometheus_client::metrics::gauge::Gauge;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tracing::{info, warn};

use crate::error::in_full;

/// How often the files are read. Kubernetes renews them days before the old ones expire.
const INTERVAL: Duration = Duration::from_secs(10);

type Error = Box<dyn StdError + Send + Sync>;

/// The files of a certificate and its key, in PEM.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    /// The certificate, with its intermediates.
    pub(crate) certificate: PathBuf,
    /// The key of the certificate.
    pub(crate) key: PathBuf,
}

impl Files {
    /// The files in a folder, from the flags `--…-cert-path`, `--…-cert-name` and `--…-cert-key`. `None` without a
    /// folder.
    pub(crate) fn of(folder: Option<&Path>, certificate: &Path, key: &Path) -> Option<Self> {
        let folder = folder?;
        Some(Self {
            certificate: folder.join(certificate),
            key: folder.join(key),
        })
    }
}

/// A certificate and its key, in PEM.
#[derive(PartialEq)]
pub(crate) struct Content {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

/// The certificate of a server.
pub(crate) struct Certificate {
    files: Option<Files>,
    seen: Option<Content>,
    is_missing: Arc<AtomicBool>,
    #[cfg(feature = "webhook")]
    ends: Gauge,
    acceptor: watch::Sender<TlsAcceptor>,
}

impl Certificate {
    /// Loads the files. If there are none, or not yet, the certificate is self-signed, so that everything
    /// is encrypted at least. Fails if the files exist and cannot be used.
    pub(crate) fn load(files: Option<Files>) -> Result<Self, Error> {
        let seen = files.as_ref().map(read).transpose()?.flatten();
        if let (Some(files), None) = (&files, &seen) {
            let Files { certificate, key } = files;
            warn!(
                certificate = %certificate.display(),
                key = %key.display(),
                "the certificate files do not exist yet: using a self-signed certificate"
            );
        }
        let acceptor = match &seen {
            Some(content) => content.acceptor()?,
            None => self_signed()?,
        };
        Ok(Self {
            is_missing: Arc::new(AtomicBool::new(files.is_some() && seen.is_none())),
            #[cfg(feature = "webhook")]
            ends: ends(seen.as_ref()),
            files,
            seen,
            acceptor: watch::Sender::new(acceptor),
        })
    }

    /// A self-signed certificate that is replaced with [`replace`](Self::replace).
    #[cfg(feature = "webhook")]
    pub(crate) fn missing() -> Result<Self, Error> {
        let certificate = Self::load(None)?;
        certificate.is_missing.store(true, Ordering::Relaxed);
        Ok(certificate)
    }

    /// The current acceptor.
    pub(crate) fn acceptor(&self) -> watch::Receiver<TlsAcceptor> {
        self.acceptor.subscribe()
    }

    /// Whether the self-signed certificate has not been replaced yet.
    #[cfg(feature = "webhook")]
    pub(crate) fn is_missing(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_missing)
    }

    /// When it expires, in seconds since 1970: 0 if it is self-signed.
    #[cfg(feature = "webhook")]
    pub(crate) fn ends(&self) -> Gauge {
        self.ends.clone()
    }

    /// Reloads the files when they change, forever. It compares their content: Kubernetes swaps a symbolic
    /// link above them, which few watchers of files notice.
    pub(crate) async fn keep_current(mut self) -> Infallible {
        loop {
            tokio::time::sleep(INTERVAL).await;
            self.reload();
        }
    }

    /// Uses the current content of the files, as soon as both exist.
    fn reload(&mut self) {
        let Some(files) = &self.files else { return };
        match read(files) {
            Ok(Some(content)) => {
                let name = files.certificate.display().to_string();
                self.replace(content, &name);
            }
            Ok(None) => {}
            Err(error) => warn!(%error, "cannot read the certificate"),
        }
    }

    /// Uses a certificate if it differs from the current one. If it is invalid, for example because only one of the
    /// files has been written yet, keeps the current one.
    pub(crate) fn replace(&mut self, content: Content, certificate: &str) {
        if self.seen.as_ref() == Some(&content) {
            return;
        }
        match content.acceptor() {
            Ok(acceptor) => {
                info!(certificate, "certificate reloaded");
                self.acceptor.send_replace(acceptor);
                self.is_missing.store(false, Ordering::Relaxed);
                #[cfg(feature = "webhook")]
                self.ends.set(content.ends());
            }
            Err(error) => warn!(
                certificate,
                error = in_full(&*error),
                "invalid certificate: keeping the previous one"
            ),
        }
        self.seen = Some(content);
    }
}

impl Content {
    #[cfg(feature = "webhook")]
    pub(crate) fn new(certificate: impl Into<Vec<u8>>, key: impl Into<Vec<u8>>) -> Self {
        Self {
            certificate: certificate.into(),
            key: key.into(),
        }
    }

    /// When its certificate expires, in seconds since 1970.
    #[cfg(feature = "webhook")]
    fn ends(&self) -> i64 {
        use x509_cert::Certificate;
        use x509_cert::der::Decode;

        let Ok(first) = CertificateDer::from_pem_slice(&self.certificate) else {
            return 0;
        };
        Certificate::from_der(&first).map_or(0, |certificate| {
            let end = certificate.tbs_certificate().validity().not_after;
            end.to_unix_duration().as_secs().cast_signed()
        })
    }

    fn acceptor(&self) -> Result<TlsAcceptor, Error> {
        let chain = CertificateDer::pem_slice_iter(&self.certificate).collect::<Result<_, _>>()?;
        acceptor(chain, PrivateKeyDer::from_pem_slice(&self.key)?)
    }
}

/// A gauge of the time when a certificate expires.
#[cfg(feature = "webhook")]
fn ends(seen: Option<&Content>) -> Gauge {
    let gauge = Gauge::default();
    gauge.set(seen.map_or(0, Content::ends));
    gauge
}

/// Reads the files, if both exist.
fn read(files: &Files) -> io::Result<Option<Content>> {
    let read = |path| match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    };
    let content = read(&files.certificate)?.zip(read(&files.key)?);
    Ok(content.map(|(certificate, key)| Content { certificate, key }))
}

fn self_signed() -> Result<TlsAcceptor, Error> {
    let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
    let certificate = rcgen::generate_simple_self_signed(names)?;
    acceptor(
        vec![certificate.cert.into()],
        certificate.signing_key.into(),
    )
}

/// Fails if the key does not belong to the certificate.
fn acceptor(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
) -> Result<TlsAcceptor, Error> {
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

#[cfg(test)]
pub(crate) mod tests;
