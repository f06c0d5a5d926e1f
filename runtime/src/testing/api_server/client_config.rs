//! Where a webhook is, as a configuration or a CRD says, and how it is called.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

/// Calls the webhook at a path with a review. Gives its answer, or why there is none.
pub(super) type Call = Arc<dyn Fn(&str, &Value) -> Result<Value, String> + Send + Sync>;

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
