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
use crate::leader::Leadership;

/// Values by name. Clones share them.
pub(super) struct Named<V>(Arc<Mutex<BTreeMap<String, V>>>);

/// The metrics of all controllers.
pub(super) type Controllers = Named<ControllerMetrics>;

/// Whether this process holds a lease, by the name of the lease.
pub(super) type Leases = Named<Leadership>;

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

impl Leases {
    pub(super) fn add(&self, name: &str, leadership: Leadership) {
        self.lock().insert(name.to_owned(), leadership);
    }
}

impl Collector for Leases {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let leases = self.lock();
        if leases.is_empty() {
            return Ok(());
        }
        let mut family = encoder.encode_descriptor(
            "leader_election_master_status",
            "Whether this replica is the leader: 1 if it holds the Lease, 0 otherwise",
            None,
            MetricType::Gauge,
        )?;
        for (lease, leadership) in &*leases {
            let value = ConstGauge::new(i64::from(leadership.may_write()));
            value.encode(family.encode_family(&[("name", lease.as_str())])?)?;
        }
        let mut family = encoder.encode_descriptor(
            "operator_leader_takeovers",
            "Total number of times that this replica became the leader",
            None,
            MetricType::Counter,
        )?;
        for (lease, leadership) in &*leases {
            let value = ConstCounter::new(leadership.takeovers());
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
        let mut family = encoder.encode_descriptor(
            "operator_watch_failing",
            "Whether a watch is failing: 1 from a failure until the next success",
            None,
            MetricType::Gauge,
        )?;
        for (watch, failures) in &*watches {
            let is_failing = failures.iter().any(|failures| failures.is_failing());
            let value = ConstGauge::new(i64::from(is_failing));
            value.encode(family.encode_family(&[("watch", watch.as_str())])?)?;
        }
        let mut family = encoder.encode_descriptor(
            "operator_watch_failures",
            "Total number of watch failures",
            None,
            MetricType::Counter,
        )?;
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
