//! Where and how metrics are served, by the flags that kubebuilder's operators have.

use std::net::{AddrParseError, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

use clap::{ArgAction, Args};

use crate::certificate::Files;
use crate::health;

/// Where and how metrics are served.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Where /metrics is served, for instance :8443; 0 means nowhere
    #[arg(long, value_name = "ADDRESS", default_value = "0")]
    pub metrics_bind_address: BindAddress,

    /// Serves them over TLS, to those who may get /metrics; =false is plain HTTP for everyone
    #[arg(
        long,
        value_name = "BOOL",
        action = ArgAction::Set,
        num_args = 0..=1,
        require_equals = true,
        default_value_t = true,
        default_missing_value = "true"
    )]
    pub metrics_secure: bool,

    /// The folder with the certificate; without it the certificate is self-signed
    #[arg(long, value_name = "FOLDER")]
    pub metrics_cert_path: Option<PathBuf>,

    /// The file with the certificate in that folder
    #[arg(long, value_name = "FILE", default_value = "tls.crt")]
    pub metrics_cert_name: PathBuf,

    /// The file with the key in that folder
    #[arg(long, value_name = "FILE", default_value = "tls.key")]
    pub metrics_cert_key: PathBuf,
}

impl Options {
    /// The files of the certificate, where a folder is given.
    pub(super) fn files(&self) -> Option<Files> {
        let folder = self.metrics_cert_path.as_ref()?;
        Some(Files {
            certificate: folder.join(&self.metrics_cert_name),
            key: folder.join(&self.metrics_cert_key),
        })
    }
}

/// Where metrics are served, if anywhere.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct BindAddress(pub Option<SocketAddr>);

impl FromStr for BindAddress {
    type Err = AddrParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "0" {
            return Ok(Self(None));
        }
        health::parse_address(text).map(Some).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::{BindAddress, Options, PathBuf};

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        options: Options,
    }

    fn parse(flags: &str) -> Options {
        let words = ["operator"].into_iter().chain(flags.split_whitespace());
        Flags::try_parse_from(words).unwrap().options
    }

    #[test]
    fn by_default_metrics_are_off_and_would_be_secure() {
        let options = parse("");
        assert_eq!(options.metrics_bind_address, BindAddress(None));
        assert!(options.metrics_secure);
        assert!(options.files().is_none());
    }

    #[test]
    fn flags_are_written_as_in_go() {
        let options = parse("--metrics-bind-address=:8443 --metrics-secure=false");
        let port = options.metrics_bind_address.0.map(|address| address.port());
        assert_eq!(port, Some(8443));
        assert!(!options.metrics_secure);
        assert!(parse("--metrics-secure").metrics_secure);
    }

    #[test]
    fn the_files_have_the_names_of_a_secret() {
        let files = parse("--metrics-cert-path=/certs").files().unwrap();
        assert_eq!(files.certificate, PathBuf::from("/certs/tls.crt"));
        assert_eq!(files.key, PathBuf::from("/certs/tls.key"));
    }
}
