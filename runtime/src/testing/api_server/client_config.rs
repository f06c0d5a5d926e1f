//! Where a webhook is, as a configuration or a CRD says.

use serde::Deserialize;

/// Where a webhook is: a Service, or an address.
#[derive(Deserialize)]
pub(super) struct ClientConfig {
    service: Option<Service>,
    url: Option<String>,
}

#[derive(Deserialize)]
struct Service {
    path: Option<String>,
}

impl ClientConfig {
    /// The path that is called.
    pub(super) fn path(&self) -> &str {
        let service = self.service.as_ref();
        let of_service = service.and_then(|service| service.path.as_deref());
        let of_url = || {
            let url = self.url.as_deref()?;
            let path = url.split_once("://")?.1;
            path.find('/').map(|at| &path[at..])
        };
        of_service.or_else(of_url).unwrap_or("/")
    }
}
