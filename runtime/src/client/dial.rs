//! Connects to the API server, directly or through a proxy.

use hyper::Uri;
use hyper::header::HeaderValue;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use hyper_util::rt::TokioIo;
use k8s_openapi::ByteString;
use kube::Config;
use serde_json::json;
use tokio::net::TcpStream;
use tower::util::BoxCloneSyncService;
use tower::{BoxError, ServiceExt};

/// Connects to the host of an address. TLS comes on top.
pub(crate) type Connector = BoxCloneSyncService<Uri, TokioIo<TcpStream>, BoxError>;

/// The connector for a configuration.
pub(crate) fn connector(config: &Config) -> Connector {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_connect_timeout(config.connect_timeout);
    match &config.proxy_url {
        None => BoxCloneSyncService::new(tcp.map_err(BoxError::from)),
        Some(proxy) if proxy.scheme_str() == Some("socks5") => {
            let proxied = SocksV5::new(proxy.clone(), tcp);
            BoxCloneSyncService::new(proxied.map_err(BoxError::from))
        }
        Some(proxy) => {
            let mut proxied = Tunnel::new(proxy.clone(), tcp);
            if let Some(credentials) = credentials(proxy) {
                proxied = proxied.with_auth(credentials);
            }
            BoxCloneSyncService::new(proxied.map_err(BoxError::from))
        }
    }
}

/// The credentials in the address of a proxy, as a header.
fn credentials(proxy: &Uri) -> Option<HeaderValue> {
    let (credentials, _) = proxy.authority()?.as_str().rsplit_once('@')?;
    let encoded = json!(ByteString(decoded(credentials)));
    let mut value = HeaderValue::from_str(&format!("Basic {}", encoded.as_str()?)).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// Decodes percent-encoding.
fn decoded(text: &str) -> Vec<u8> {
    let mut parts = text.split('%');
    let mut decoded = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let byte = part
            .get(..2)
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match byte {
            Some(byte) => {
                decoded.push(byte);
                decoded.extend(&part.as_bytes()[2..]);
            }
            None => decoded.extend([b"%", part.as_bytes()].concat()),
        }
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::{Uri, credentials};

    #[test]
    fn credentials_are_decoded() {
        let of = |proxy: &str| {
            let value = credentials(&proxy.parse::<Uri>().unwrap())?;
            Some(value.to_str().unwrap().to_owned())
        };
        assert_eq!(of("http://proxy:3128"), None);
        assert_eq!(
            of("http://user:secret@proxy:3128").unwrap(),
            "Basic dXNlcjpzZWNyZXQ="
        );
        // `pa@ss`, and a literal `%`.
        assert_eq!(
            of("http://user:pa%40ss@proxy").unwrap(),
            "Basic dXNlcjpwYUBzcw=="
        );
        assert_eq!(of("http://user:%zz@proxy").unwrap(), "Basic dXNlcjoleno=");
    }
}
