//! Whether this process leads.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge::ConstGauge;

type Leads = Box<dyn Fn() -> bool + Send + Sync>;

/// Whether this process holds a lease, by the lease's name. Asked for at each scrape.
#[derive(Clone, Default)]
pub(super) struct Leadership(Arc<Mutex<BTreeMap<String, Leads>>>);

impl Leadership {
    pub(super) fn add(&self, name: &str, leads: impl Fn() -> bool + Send + Sync + 'static) {
        self.lock().insert(name.to_owned(), Box::new(leads));
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Leads>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Collector for Leadership {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let leases = self.lock();
        if leases.is_empty() {
            return Ok(());
        }
        let help = "Whether this process holds the lease: 1 if it does, 0 if it stands by";
        let name = "leader_election_master_status";
        let mut family = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
        for (lease, leads) in &*leases {
            let value = ConstGauge::new(i64::from(leads()));
            value.encode(family.encode_family(&[("name", lease.as_str())])?)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Leadership {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Leadership")
    }
}
