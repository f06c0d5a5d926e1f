//! The controllers whose metrics are told.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;

use super::controller::ControllerMetrics;
use super::families::Families;

/// The metrics of all controllers, by name.
#[derive(Clone, Default)]
pub(super) struct Controllers(Arc<Mutex<BTreeMap<String, ControllerMetrics>>>);

impl Controllers {
    /// The metrics of the controller of a kind, whose name is its kind in lower case. Where that of
    /// another group came first, the name has the group as well.
    pub(super) fn get_or_add(
        &self,
        kind: &str,
        group: &str,
        max_concurrent: u16,
    ) -> ControllerMetrics {
        let mut controllers = self.lock();
        let mut name = kind.to_lowercase();
        let first = controllers.get(&name);
        if first.is_some_and(|first| first.0.group != group) {
            name = format!("{name}.{group}");
        }
        let new = || ControllerMetrics::new(group, max_concurrent);
        controllers.entry(name).or_insert_with(new).clone()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, ControllerMetrics>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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

impl fmt::Debug for Controllers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.lock().keys()).finish()
    }
}
