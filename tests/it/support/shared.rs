//! What tests share.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// Something that is made for the first test that asks for it, and ends with the last that has it. A control plane
/// that nobody uses costs CPU time as long as it is there.
pub(crate) struct Shared<T>(Mutex<Weak<T>>);

impl<T> Shared<T> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(Weak::new()))
    }

    /// What is there, or what `make` gives; `None` where that gives nothing.
    pub(crate) fn get(&self, make: impl FnOnce() -> Option<T>) -> Option<Arc<T>> {
        let mut shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(there) = shared.upgrade() {
            return Some(there);
        }
        let made = Arc::new(make()?);
        *shared = Arc::downgrade(&made);
        Some(made)
    }
}

/// What is made once for each key, and kept.
pub(crate) struct Once<K, V>(Mutex<BTreeMap<K, Arc<OnceLock<V>>>>);

impl<K: Ord, V: Clone> Once<K, V> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    /// What there is for a key, or what `make` gives. Others with that key wait for it, and nobody else.
    pub(crate) fn get(&self, key: K, make: impl FnOnce() -> V) -> V {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = Arc::clone(places.entry(key).or_default());
        drop(places);
        place.get_or_init(make).clone()
    }
}
