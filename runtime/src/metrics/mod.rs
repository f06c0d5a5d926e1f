//! What the operator tells Prometheus: under the names that controller-runtime has, where the meaning is
//! the same, so that dashboards and alerts made for it work. Labels are bounded: never the name of an
//! object, never a path.

mod access;
mod answers;
mod controller;
mod controllers;
mod endpoint;
mod families;
mod leadership;
mod options;
mod process;
mod requests;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use prometheus_client::encoding::text;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

pub use controller::{ControllerMetrics, Outcome, Running};
use controllers::Controllers;
pub use endpoint::{Endpoint, EndpointError};
use leadership::Leadership;
pub use options::Options;
use process::Process;
use requests::Requests;
pub use requests::{Counted, RequestMetrics};

/// What the operator tells Prometheus. Clones share their values.
#[derive(Clone)]
pub struct Metrics {
    controllers: Controllers,
    leadership: Leadership,
    requests: Requests,
    registry: Arc<Registry>,
}

impl Metrics {
    /// The metrics of a process that has done nothing yet.
    #[must_use]
    pub fn new() -> Self {
        let (controllers, leadership, requests) = Default::default();
        let mut registry = Registry::default();
        let build = vec![
            ("name", env!("CARGO_PKG_NAME")),
            ("version", env!("CARGO_PKG_VERSION")),
        ];
        registry.register("operator_build", "What this program is", Info::new(build));
        registry.register_collector(Box::new(Process::new()));
        registry.register_collector(Box::new(Controllers::clone(&controllers)));
        registry.register_collector(Box::new(Leadership::clone(&leadership)));
        let help = "Number of HTTP requests to the API server, by status code, method and host";
        registry.register("rest_client_requests", help, Requests::clone(&requests));
        Self {
            controllers,
            leadership,
            requests,
            registry: Arc::new(registry),
        }
    }

    /// The metrics of the controller of a kind, all of them told at 0 from now on. Who asks again gets
    /// the same. controller-runtime calls a controller by its kind in lower case, and so does this: a
    /// second kind of that name has its group as well, as in `appservice.shop.example.com`.
    #[must_use]
    pub fn controller(&self, kind: &str, group: &str, max_concurrent: u16) -> ControllerMetrics {
        self.controllers.get_or_add(kind, group, max_concurrent)
    }

    /// A layer of a client that counts its requests to `host`.
    #[must_use]
    pub fn requests(&self, host: &str) -> RequestMetrics {
        RequestMetrics::new(self.requests.clone(), host.to_owned())
    }

    /// Tells whether this process holds the lease of that name.
    pub fn leadership(&self, name: &str, leads: impl Fn() -> bool + Send + Sync + 'static) {
        self.leadership.add(name, leads);
    }

    /// All of it, in the text format of OpenMetrics.
    ///
    /// # Errors
    /// Where a value cannot be written.
    pub fn text(&self) -> Result<String, std::fmt::Error> {
        let mut text = String::new();
        text::encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}
