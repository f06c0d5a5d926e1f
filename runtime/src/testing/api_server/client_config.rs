//! The client configuration of a webhook in a configuration or a CRD, and its call.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

/// Sends a review to the webhook at a path. Returns its response, or why there is none.
pub(super) type Call = Arc<dyn Fn(&str, &Value) -> Result<Value, String> + Send + Sync>;

/// The address of a webhook: a Service, or a URL.
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
    /// The path of its URL.
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
