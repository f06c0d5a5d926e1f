//! Metrics that are computed at each scrape.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

use super::controller::ControllerMetrics;
use super::families::Families;
use crate::health::Failures;

/// Values by name. Clones share them.
pub(super) struct Named<V>(Arc<Mutex<BTreeMap<String, V>>>);

/// The metrics of all controllers.
pub(super) type Controllers = Named<ControllerMetrics>;

/// Whether this process holds a lease, by the name of the lease.
pub(super) type Leadership = Named<Box<dyn Fn() -> bool + Send + Sync>>;

/// The failures of all watches of a name.
pub(super) type Watches = Named<Vec<Arc<Failures>>>;

impl<V> Named<V> {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, V>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Controllers {
    pub(super) fn get_or_add(&self, name: &str, max_concurrent: u16) -> ControllerMetrics {
        let mut controllers = self.lock();
        let new = || ControllerMetrics::new(max_concurrent);
        let metrics = controllers.entry(name.to_owned()).or_insert_with(new);
        metrics.clone()
    }
}

impl Collector for Controllers {
    fn encode(&self, encoder: DescriptorEncoder) -> fmt::Result {
        let controllers = self.lock();
        if controllers.is_empty() {
            return Ok(());
        }
        Families::new(encoder, &controllers).encode()
    }
}

impl Leadership {
    pub(super) fn add(&self, name: &str, leads: impl Fn() -> bool + Send + Sync + 'static) {
        self.lock().insert(name.to_owned(), Box::new(leads));
    }
}

impl Collector for Leadership {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let leases = self.lock();
        if leases.is_empty() {
            return Ok(());
        }
        let help = "Whether this replica is the leader: 1 if it holds the Lease, 0 otherwise";
        let name = "leader_election_master_status";
        let mut family = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
        for (lease, leads) in &*leases {
            let value = ConstGauge::new(i64::from(leads()));
            value.encode(family.encode_family(&[("name", lease.as_str())])?)?;
        }
        Ok(())
    }
}

impl Watches {
    pub(super) fn add(&self, name: &str, failures: Arc<Failures>) {
        self.lock()
            .entry(name.to_owned())
            .or_default()
            .push(failures);
    }
}

impl Collector for Watches {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let watches = self.lock();
        if watches.is_empty() {
            return Ok(());
        }
        let help = "Whether a watch is failing: 1 from a failure until the next success";
        let name = "operator_watch_failing";
        let mut family = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
        for (watch, failures) in &*watches {
            let is_failing = failures.iter().any(|failures| failures.is_failing());
            let value = ConstGauge::new(i64::from(is_failing));
            value.encode(family.encode_family(&[("watch", watch.as_str())])?)?;
        }
        let help = "Total number of watch failures";
        let name = "operator_watch_failures";
        let mut family = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
        for (watch, failures) in &*watches {
            let total: u64 = failures.iter().map(|failures| failures.total()).sum();
            let value = ConstCounter::new(total);
            value.encode(family.encode_family(&[("watch", watch.as_str())])?)?;
        }
        Ok(())
    }
}

impl<V> Clone for Named<V> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<V> Default for Named<V> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<V> fmt::Debug for Named<V> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.lock().keys()).finish()
    }
}
