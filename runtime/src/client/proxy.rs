//! Determines the proxy for connections to the API server. kube supports `HTTPS_PROXY` but not
//! `NO_PROXY`: its matcher compares it with the host of the proxy.

use std::env;
use std::net::IpAddr;

use hyper::Uri;
use hyper_util::client::proxy::matcher::Matcher;
use kube::Config;

use super::ConnectError;

/// The proxy variables of the environment.
#[derive(Debug, Default)]
pub(super) struct Environment {
    https_proxy: String,
    no_proxy: String,
}

impl Environment {
    /// Reads the variables, in upper case or else in lower case, as kube does.
    pub(super) fn read() -> Self {
        let first = |names: [&str; 2]| {
            let values = names.into_iter().filter_map(|name| env::var(name).ok());
            values.into_iter().find(|value| !value.is_empty())
        };
        Self {
            https_proxy: first(["HTTPS_PROXY", "https_proxy"]).unwrap_or_default(),
            no_proxy: first(["NO_PROXY", "no_proxy"]).unwrap_or_default(),
        }
    }

    /// Whether its proxy applies to the API server. As in kubectl, a proxy for HTTPS does not apply to plain HTTP, and
    /// none applies to localhost.
    fn applies_to(&self, server: &Uri) -> bool {
        let host = host(server);
        let is_loopback = match host.parse::<IpAddr>() {
            Ok(address) => address.is_loopback(),
            Err(_) => host.eq_ignore_ascii_case("localhost"),
        };
        let no_proxy = entries(&self.no_proxy, server.port_u16().unwrap_or(443));
        // The address of the proxy does not matter here.
        let matcher = Matcher::builder().https("http://proxy").no(no_proxy);
        !is_loopback && matcher.build().intercept(server).is_some()
    }
}

/// Removes a proxy that does not apply to the API server from the configuration. The proxy of a kubeconfig always
/// applies. Fails if the type of the proxy is not supported: the error only has its host, because the address can
/// contain a password.
pub(super) fn choose(config: &mut Config, environment: &Environment) -> Result<(), ConnectError> {
    let Some(proxy) = &config.proxy_url else {
        return Ok(());
    };
    let is_of_environment = environment.https_proxy.parse::<Uri>().ok().as_ref() == Some(proxy);
    if is_of_environment && !environment.applies_to(&config.cluster_url) {
        config.proxy_url = None;
        return Ok(());
    }
    match proxy.scheme_str() {
        Some("http" | "socks5") => Ok(()),
        // `proxy:3128`, which other programs accept as well.
        None => {
            config.proxy_url = format!("http://{proxy}").parse().ok();
            Ok(())
        }
        Some(scheme) => Err(ConnectError::Proxy {
            proxy: host(proxy).to_owned(),
            scheme: scheme.to_owned(),
        }),
    }
}

/// The host of an address, without the brackets of IPv6.
fn host(server: &Uri) -> &str {
    let host = server.host().unwrap_or_default();
    host.trim_start_matches('[').trim_end_matches(']')
}

/// The entries of `NO_PROXY` that can match this port, in the form that the matcher knows: it has no
/// ports, and writes `*.example.com` as `.example.com`.
fn entries(no_proxy: &str, port: u16) -> String {
    let entries: Vec<_> = no_proxy
        .split(',')
        .map(str::trim)
        .filter_map(|entry| match entry.rsplit_once(':') {
            // Several colons mean an IPv6 address, unless there are brackets.
            Some((host, _)) if host.contains(':') && !host.ends_with(']') => Some(entry),
            Some((host, of)) if of.parse() == Ok(port) => Some(host),
            Some(_) => None,
            None => Some(entry),
        })
        .map(|entry| entry.trim_start_matches('[').trim_end_matches(']'))
        .map(|entry| {
            entry
                .strip_prefix('*')
                .filter(|it| it.starts_with('.'))
                .unwrap_or(entry)
        })
        .filter(|entry| !entry.is_empty())
        .collect();
    entries.join(",")
}

#[cfg(test)]
mod tests {
    use super::{Config, ConnectError, Environment, choose};

    const PROXY: &str = "http://user:secret@proxy.example.com:3128";

    /// Connects to a server with the proxy of the environment.
    fn connect(server: &str, no_proxy: &str) -> Result<Config, ConnectError> {
        let mut config = Config::new(server.parse().unwrap());
        config.proxy_url = Some(PROXY.parse().unwrap());
        let environment = Environment {
            https_proxy: PROXY.to_owned(),
            no_proxy: no_proxy.to_owned(),
        };
        choose(&mut config, &environment).map(|()| config)
    }

    #[test]
    fn a_proxy_that_is_not_for_the_api_server_is_left_out() {
        for (server, no_proxy) in [
            ("https://10.96.0.1", "10.0.0.0/8"),
            ("https://10.96.0.1:6443", "a.example.com, 10.96.0.1"),
            ("https://10.96.0.1:6443", "10.96.0.1:6443"),
            ("https://[fd00::1]:6443", "fd00::/8"),
            ("https://[fd00::1]:6443", "[fd00::1]:6443"),
            ("https://api.example.com:6443", ".example.com"),
            ("https://api.example.com", "*.example.com"),
            ("https://api.example.com", "api.example.com:443"),
            ("https://api.example.com", "*"),
            ("https://127.0.0.1:6443", ""),
            ("https://[::1]:6443", ""),
            ("https://localhost:6443", ""),
            ("http://10.96.0.1:8001", ""),
        ] {
            let config = connect(server, no_proxy)
                .unwrap_or_else(|error| panic!("{server} {no_proxy}: {error}"));
            assert_eq!(config.proxy_url, None);
        }
    }

    #[test]
    fn a_proxy_that_is_for_the_api_server_is_used() {
        for no_proxy in ["", "10.128.0.0/9", "10.96.0.1:443", "example.com", ",", ":"] {
            let config = connect("https://10.96.0.1:6443", no_proxy).unwrap();
            assert_eq!(config.proxy_url, Some(PROXY.parse().unwrap()));
        }
    }

    /// Connects through the proxy of a kubeconfig.
    fn connect_by(proxy: &str) -> Result<Config, ConnectError> {
        let mut config = Config::new("https://10.96.0.1".parse().unwrap());
        config.proxy_url = Some(proxy.parse().unwrap());
        let environment = Environment {
            no_proxy: "*".to_owned(),
            ..Environment::default()
        };
        choose(&mut config, &environment).map(|()| config)
    }

    #[test]
    fn a_proxy_of_the_kubeconfig_is_used_whatever_the_environment_says() {
        for (proxy, used) in [
            (
                "socks5://proxy.example.com:1080",
                "socks5://proxy.example.com:1080",
            ),
            ("http://proxy.example.com", "http://proxy.example.com"),
            ("proxy.example.com:3128", "http://proxy.example.com:3128"),
        ] {
            let config = connect_by(proxy).unwrap();
            assert_eq!(config.proxy_url, Some(used.parse().unwrap()));
        }
    }

    #[test]
    fn a_proxy_of_an_unknown_kind_is_refused_without_its_password() {
        let error = connect_by("https://user:secret@proxy.example.com").unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot reach the API server through the proxy `proxy.example.com`: its address begins with `https://`; \
             hint: use one with `http://` or `socks5://`"
        );
    }

    #[test]
    fn without_a_proxy_nothing_is_refused() {
        let mut config = Config::new("https://10.96.0.1".parse().unwrap());
        assert!(choose(&mut config, &Environment::default()).is_ok());
    }
}
