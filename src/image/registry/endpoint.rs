use reqwest::Url;

use crate::error::{Code, Context, Result};

use super::transport::is_loopback;

/// Where a repository is in a registry, and which other places it may lead to.
#[derive(Clone, Debug)]
pub(super) struct Endpoint {
    /// The registry as references name it.
    pub(super) host: String,
    pub(super) repository: String,
    base: Url,
}

impl Endpoint {
    pub(super) fn new(scheme: &str, host: &str, repository: String) -> Result<Self> {
        let server = match host {
            "docker.io" => "index.docker.io",
            host => host,
        };
        let base = format!("{scheme}://{server}/v2/");
        let base = Url::parse(&base).context(Code::RegistryUnreachable, || {
            format!("`{host}` is not a valid host")
        })?;
        Ok(Self {
            host: host.to_owned(),
            repository,
            base,
        })
    }

    /// Where the registry says whether it wants a login.
    pub(super) fn base(&self) -> Url {
        self.base.clone()
    }

    /// The URL of something in the repository, such as a `manifests/v1`.
    pub(super) fn url(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(&format!("/v2/{}/{path}", self.repository));
        url
    }

    pub(super) fn has_tls(&self) -> bool {
        self.base.scheme() == "https"
    }

    /// Whether a URL is of the registry itself, so that its credentials may go there.
    pub(super) fn is_own(&self, url: &Url) -> bool {
        url.origin() == self.base.origin()
    }

    /// Whether what is secret may go to a URL of another server that the registry names: with TLS, or without it on
    /// the registry's own host if that has none, or if both are this machine.
    pub(super) fn may_send_credentials(&self, url: &Url) -> bool {
        let is_here = |url: &Url| url.host_str().is_some_and(is_loopback);
        let is_near = (!self.has_tls() && url.host() == self.base.host())
            || (is_here(&self.base) && is_here(url));
        url.scheme() == "https" || (url.scheme() == "http" && is_near)
    }

    /// Whether data may go to a URL that the registry names: with TLS if the registry has it.
    pub(super) fn may_lead_to(&self, url: &Url) -> bool {
        url.scheme() == "https" || (url.scheme() == "http" && !self.has_tls())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(scheme: &str, host: &str) -> Endpoint {
        Endpoint::new(scheme, host, "a/b".to_owned()).expect("a host")
    }

    fn url(text: &str) -> Url {
        text.parse().expect("a URL")
    }

    #[test]
    fn urls_are_those_of_the_protocol() {
        for (host, expected) in [
            ("docker.io", "https://index.docker.io/v2/a/b/manifests/v1"),
            ("[::1]:5000", "https://[::1]:5000/v2/a/b/manifests/v1"),
        ] {
            let url = endpoint("https", host).url("manifests/v1");
            assert_eq!(url.as_str(), expected);
        }
    }

    #[test]
    fn secrets_go_to_the_registry_and_to_servers_with_tls() {
        let secure = endpoint("https", "r.example.com");
        assert!(secure.is_own(&url("https://r.example.com:443/v2/")));
        for other in [
            "http://r.example.com/",
            "https://r.example.com:444/",
            "https://example.com/",
        ] {
            assert!(!secure.is_own(&url(other)), "{other}");
        }
        assert!(secure.may_send_credentials(&url("https://auth.example.com/token")));
        for other in [
            "http://r.example.com/token",
            "http://auth.example.com/token",
            "http://127.0.0.1/token",
            "file:///etc/passwd",
        ] {
            assert!(!secure.may_send_credentials(&url(other)), "{other}");
        }
        let plain = endpoint("http", "127.0.0.1:5000");
        assert!(plain.may_send_credentials(&url("http://127.0.0.1:5001/token")));
        assert!(plain.may_send_credentials(&url("https://example.com/token")));
        assert!(!plain.may_send_credentials(&url("http://example.com/token")));
    }

    #[test]
    fn tls_is_not_left() {
        let secure = endpoint("https", "r.example.com");
        assert!(secure.may_lead_to(&url("https://storage.example.com/x")));
        assert!(!secure.may_lead_to(&url("http://r.example.com/x")));
        let plain = endpoint("http", "127.0.0.1:5000");
        assert!(plain.may_lead_to(&url("http://storage.example.com/x")));
        assert!(!plain.may_lead_to(&url("file:///x")));
    }
}
