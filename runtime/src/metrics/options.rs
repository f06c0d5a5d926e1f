//! The flags of the metrics endpoint, with the names of kubebuilder's flags.

use std::net::{AddrParseError, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

use clap::{ArgAction, Args};

use crate::certificate::Files;
use crate::serve;

/// The flags of the metrics endpoint.
///
/// ```
/// use rop_runtime::{MetricsOptions, Options};
///
/// let options = Options {
///     metrics: MetricsOptions {
///         metrics_bind_address: ":8443".parse().unwrap(),
///         ..MetricsOptions::default()
///     },
///     ..Options::default()
/// };
/// # assert!(options.metrics.metrics_secure);
/// ```
#[derive(Args, Clone, Debug)]
#[group(skip)]
pub struct MetricsOptions {
    /// Address of /metrics, for example :8443; 0 disables it
    #[arg(long, value_name = "ADDRESS", default_value = "0")]
    pub metrics_bind_address: BindAddress,

    /// Serve metrics with TLS, to clients that are authorized to get /metrics; =false serves plain
    /// HTTP to everyone
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

    /// Folder of the certificate; self-signed by default
    #[arg(long, value_name = "FOLDER")]
    pub metrics_cert_path: Option<PathBuf>,

    /// File name of the certificate in --metrics-cert-path
    #[arg(long, value_name = "FILE", default_value = "tls.crt")]
    pub metrics_cert_name: PathBuf,

    /// File name of the key in --metrics-cert-path
    #[arg(long, value_name = "FILE", default_value = "tls.key")]
    pub metrics_cert_key: PathBuf,
}

/// Returns the defaults: metrics are disabled, and use TLS if an address is set.
impl Default for MetricsOptions {
    fn default() -> Self {
        Self {
            metrics_bind_address: BindAddress(None),
            metrics_secure: true,
            metrics_cert_path: None,
            metrics_cert_name: "tls.crt".into(),
            metrics_cert_key: "tls.key".into(),
        }
    }
}

impl MetricsOptions {
    /// Returns the files of the certificate, if a folder is set.
    pub(super) fn files(&self) -> Option<Files> {
        let folder = self.metrics_cert_path.as_deref();
        Files::of(folder, &self.metrics_cert_name, &self.metrics_cert_key)
    }
}

/// An address to listen on, or none. Parsed from an address, a port for all interfaces such as
/// `:8443`, or `0` for none.
///
/// ```
/// use rop_runtime::BindAddress;
///
/// let all: BindAddress = ":8443".parse().unwrap();
/// assert_eq!(all.0.unwrap().port(), 8443);
/// let none: BindAddress = "0".parse().unwrap();
/// assert_eq!(none.0, None);
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct BindAddress(pub Option<SocketAddr>);

impl FromStr for BindAddress {
    type Err = AddrParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "0" {
            return Ok(Self(None));
        }
        serve::parse_address(text).map(Some).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::{BindAddress, MetricsOptions, PathBuf};

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        options: MetricsOptions,
    }

    fn parse(flags: &str) -> MetricsOptions {
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
