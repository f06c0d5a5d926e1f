//! The certificate that a server shows: from files, which may change at any time, or self-signed.

use std::convert::Infallible;
use std::error::Error as StdError;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io};

use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tracing::{info, warn};

use super::error::in_full;

/// How often the files are looked at. Kubernetes renews them days before the old ones expire.
const INTERVAL: Duration = Duration::from_secs(10);

type Error = Box<dyn StdError + Send + Sync>;

/// Where a certificate and its key are, in PEM.
#[derive(Clone, Debug)]
pub struct Files {
    /// The certificate, with those between it and the authority.
    pub certificate: PathBuf,
    /// The key of the certificate.
    pub key: PathBuf,
}

/// What the files held.
#[derive(PartialEq)]
struct Content {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

/// The certificate that a server shows.
pub(super) struct Certificate {
    files: Option<Files>,
    seen: Option<Content>,
    acceptor: watch::Sender<TlsAcceptor>,
}

impl Certificate {
    /// Loads the files. Where there are none, or not yet, the certificate is self-signed, so that what is
    /// served is encrypted at least.
    pub(super) fn load(files: Option<Files>) -> Result<Self, Error> {
        let seen = files.as_ref().map(read).transpose()?.flatten();
        if let (Some(files), None) = (&files, &seen) {
            let Files { certificate, key } = files;
            warn!(
                certificate = %certificate.display(),
                key = %key.display(),
                "no such files yet: the certificate is self-signed until they are there"
            );
        }
        let acceptor = match &seen {
            Some(content) => content.acceptor()?,
            None => self_signed()?,
        };
        Ok(Self {
            files,
            seen,
            acceptor: watch::Sender::new(acceptor),
        })
    }

    /// The acceptor that is current.
    pub(super) fn acceptor(&self) -> watch::Receiver<TlsAcceptor> {
        self.acceptor.subscribe()
    }

    /// Looks after the files for ever. It compares what they hold: Kubernetes swaps a symbolic link above
    /// them, which few watchers of files see.
    pub(super) async fn keep_current(mut self) -> Infallible {
        loop {
            tokio::time::sleep(INTERVAL).await;
            self.look();
        }
    }

    /// Takes what the files hold now. What cannot be used, a pair that is half written for instance, is
    /// left where it is, and the last good certificate is shown on.
    fn look(&mut self) {
        let Some(files) = &self.files else { return };
        let content = match read(files) {
            Ok(Some(content)) if self.seen.as_ref() != Some(&content) => content,
            Ok(_) => return,
            Err(error) => return warn!(%error, "cannot read the certificate"),
        };
        match content.acceptor() {
            Ok(acceptor) => {
                info!(certificate = %files.certificate.display(), "certificate reloaded");
                self.acceptor.send_replace(acceptor);
            }
            Err(error) => warn!(
                certificate = %files.certificate.display(),
                error = in_full(&*error),
                "cannot use the certificate: keeping the one before"
            ),
        }
        self.seen = Some(content);
    }
}

impl Content {
    fn acceptor(&self) -> Result<TlsAcceptor, Error> {
        let chain = CertificateDer::pem_slice_iter(&self.certificate).collect::<Result<_, _>>()?;
        acceptor(chain, PrivateKeyDer::from_pem_slice(&self.key)?)
    }
}

/// Reads the files, if both are there.
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
    let made = rcgen::generate_simple_self_signed(names)?;
    acceptor(vec![made.cert.into()], made.signing_key.into())
}

/// Fails where the key is not that of the certificate.
fn acceptor(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
) -> Result<TlsAcceptor, Error> {
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

#[cfg(test)]
pub(super) mod tests;
