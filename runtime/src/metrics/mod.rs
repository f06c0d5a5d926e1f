//! Prometheus metrics. They have the names of controller-runtime's metrics if the meaning is the
//! same, so that existing dashboards and alerts work. Labels are bounded: they never contain an
//! object name or a path.

mod access;
mod answers;
mod collectors;
mod controller;
mod endpoint;
mod families;
mod options;
mod process;
mod quota;
mod requests;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use prometheus_client::encoding::text;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

use crate::health::Failures;
use crate::identity::Identity;
use crate::leader::Leadership;
use crate::user_code;
use collectors::{Controllers, Leases, Watches};
pub(crate) use controller::{ControllerMetrics, ReconcileResult};
pub(crate) use endpoint::Endpoint;
pub use endpoint::EndpointError;
pub use options::{BindAddress, MetricsOptions};
use process::Process;
pub(crate) use requests::RequestMetrics;
use requests::Requests;

/// The metrics of this process. Clones share their values.
#[derive(Clone)]
pub(crate) struct Metrics {
    controllers: Controllers,
    leases: Leases,
    requests: Requests,
    watches: Watches,
    registry: Arc<Mutex<Registry>>,
}

impl Metrics {
    /// The metrics of a process that has done nothing yet.
    pub(crate) fn new(identity: &Identity) -> Self {
        let mut registry = Registry::default();
        let build = vec![("name", identity.name()), ("version", identity.version())];
        let help = "Name and version of the operator";
        registry.register("operator_build", help, Info::new(build));
        let (controllers, leases) = (Controllers::default(), Leases::default());
        let (requests, watches) = (Requests::default(), Watches::default());
        registry.register_collector(Box::new(Process::new()));
        registry.register_collector(Box::new(controllers.clone()));
        registry.register_collector(Box::new(watches.clone()));
        registry.register_collector(Box::new(leases.clone()));
        registry.register_collector(Box::new(requests.clone()));
        Self {
            controllers,
            leases,
            requests,
            watches,
            registry: Arc::new(Mutex::new(registry)),
        }
    }

    /// The metrics of the controller of that name, all of them at 0 from now on. Two calls with the same
    /// name return the same metrics.
    pub(crate) fn controller(&self, name: &str, max_concurrent: u16) -> ControllerMetrics {
        self.controllers.get_or_add(name, max_concurrent)
    }

    /// Reports the failures of a watch. Those of several watches with the same name are added.
    pub(crate) fn watch(&self, name: &str, failures: Arc<Failures>) {
        self.watches.add(name, failures);
    }

    /// A layer that counts the requests of a client to `host`.
    pub(crate) fn requests(&self, host: &str) -> RequestMetrics {
        RequestMetrics::new(self.requests.clone(), host.to_owned())
    }

    /// Reports whether this process holds the lease of that name.
    pub(crate) fn leadership(&self, name: &str, leadership: Leadership) {
        self.leases.add(name, leadership);
    }

    /// Registers further metrics. Their names must differ from those of the runtime.
    pub(crate) fn register(&self, register: impl FnOnce(&mut Registry)) {
        register(&mut self.registry.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// All metrics, in the text format of `OpenMetrics`. Fails if a value cannot be written.
    pub(crate) fn text(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        let registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        let collected = || text::encode(&mut text, &registry);
        user_code::call("a collector of metrics", Err(fmt::Error), collected)?;
        Ok(text)
    }
}
