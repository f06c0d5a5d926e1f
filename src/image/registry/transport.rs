//! How a registry is spoken to: with TLS, or without.

use std::io::Read;
use std::net::{IpAddr, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore};

use super::Manner;

/// How long a registry of this machine may take to say whether it has TLS.
const SOON: Duration = Duration::from_secs(2);

/// The first byte of what a server with TLS says: of an alert, or of its part of the handshake.
const RECORDS: [u8; 2] = [21, 22];

/// The port of a registry that names none.
const PORT: u16 = 443;

/// With TLS, unless somebody wants it otherwise. On this machine nobody listens in, so a registry
/// may have none there: engines see it likewise.
pub(super) fn scheme(host: &str, manner: Manner) -> &'static str {
    let is_plain = manner.insecure || is_loopback(host) && !has_tls(host).unwrap_or_default();
    if is_plain { "http" } else { "https" }
}

/// Whether a server takes TLS up, which it does before anybody looks at its certificate. `None` where
/// it does not answer.
fn has_tls(host: &str) -> Option<bool> {
    let (name, port) = split(host);
    let address = (name, port.unwrap_or(PORT))
        .to_socket_addrs()
        .ok()?
        .next()?;
    let mut stream = TcpStream::connect_timeout(&address, SOON).ok()?;
    stream.set_read_timeout(Some(SOON)).ok()?;
    let config = ClientConfig::builder()
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    let name = ServerName::try_from(name.to_owned()).ok()?;
    let mut hello = ClientConnection::new(Arc::new(config), name).ok()?;
    hello.write_tls(&mut stream).ok()?;
    let mut first = [0];
    stream.read_exact(&mut first).ok()?;
    Some(RECORDS.contains(&first[0]))
}

/// Whether a host is this machine.
pub(super) fn is_loopback(host: &str) -> bool {
    let (name, _) = split(host);
    name == "localhost" || name.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

/// The name or the address, and the port where there is one.
fn split(host: &str) -> (&str, Option<u16>) {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
        _ => (host, None),
    };
    let bare = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'));
    (bare.unwrap_or(name), port)
}

#[cfg(test)]
mod tests {
    use super::{is_loopback, split};

    #[test]
    fn ports_are_told_apart() {
        assert_eq!(split("localhost:5000"), ("localhost", Some(5000)));
        assert_eq!(split("[::1]:5000"), ("::1", Some(5000)));
        assert_eq!(split("[::1]"), ("::1", None));
        assert_eq!(split("example.com"), ("example.com", None));
    }

    #[test]
    fn registries_of_this_machine_are_told_apart() {
        for host in [
            "localhost",
            "localhost:5000",
            "127.0.0.1:5000",
            "127.1.2.3",
            "[::1]:5000",
            "[::1]",
        ] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "example.com",
            "10.0.0.1:5000",
            "localhost.example.com",
            "[::2]:5000",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
