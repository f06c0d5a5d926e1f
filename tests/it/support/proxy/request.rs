//! What a request asks for, as far as its method and address say.

use std::fmt;
use std::time::Instant;

use hyper::{Method, Uri};

/// What a request is for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Purpose {
    Read,
    Watch,
    Write,
}

/// A request that came through the proxy.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) at: Instant,
    pub(crate) purpose: Purpose,
    pub(crate) method: Method,
    pub(crate) namespace: Option<String>,
    /// The plural name, with a subresource where there is one: `appservices/status`.
    pub(crate) resource: String,
    pub(crate) name: Option<String>,
    /// The answer of the API server or of the proxy; none where the connection was cut.
    pub(crate) status: Option<u16>,
    /// Whether the proxy did something to it.
    pub(crate) is_faulty: bool,
}

impl Request {
    pub(super) fn new(method: &Method, uri: &Uri) -> Self {
        let query = uri.query().unwrap_or_default();
        let watches = query
            .split('&')
            .any(|pair| pair == "watch=true" || pair == "watch=1");
        let mut parts = uri.path().split('/').filter(|part| !part.is_empty());
        // /api/v1/… and /apis/GROUP/VERSION/…
        let skipped = if uri.path().starts_with("/apis/") {
            3
        } else {
            2
        };
        let mut parts = parts.by_ref().skip(skipped).map(str::to_owned).peekable();
        let mut namespace = None;
        if parts.next_if(|part| part == "namespaces").is_some() {
            namespace = parts.next();
        }
        let plural = parts.next().unwrap_or_default();
        let name = parts.next();
        let resource = match parts.next() {
            Some(subresource) => format!("{plural}/{subresource}"),
            None => plural,
        };
        Self {
            at: Instant::now(),
            purpose: match *method {
                Method::GET if watches => Purpose::Watch,
                Method::GET | Method::HEAD => Purpose::Read,
                _ => Purpose::Write,
            },
            method: method.clone(),
            namespace,
            resource,
            name,
            status: None,
            is_faulty: false,
        }
    }

    /// The same request at another time is the same thing done again.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.purpose == Purpose::Watch {
            "WATCH"
        } else {
            self.method.as_str()
        };
        write!(f, "{verb} {}", self.resource)?;
        for part in [&self.namespace, &self.name].into_iter().flatten() {
            write!(f, " {part}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Method, Purpose, Request};

    #[test]
    fn requests_are_told_apart() {
        let read = |method, uri: &str| Request::new(&method, &uri.parse().unwrap());
        for (method, uri, purpose, text) in [
            (Method::GET, "/version", Purpose::Read, "GET "),
            (
                Method::GET,
                "/api/v1/services?&watch=true&resourceVersion=0",
                Purpose::Watch,
                "WATCH services",
            ),
            (
                Method::PATCH,
                "/apis/app.example.com/v1/namespaces/shop/stores/one/status?&force=true",
                Purpose::Write,
                "PATCH stores/status shop one",
            ),
            (
                Method::DELETE,
                "/api/v1/namespaces/shop/services/one",
                Purpose::Write,
                "DELETE services shop one",
            ),
        ] {
            let request = read(method, uri);
            assert_eq!((request.purpose, &*request.to_string()), (purpose, text));
        }
    }
}
