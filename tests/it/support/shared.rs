//! What tests share.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

/// Something that is made for the first test that asks for it, and ends when nobody has used it for a while: a control
/// plane costs CPU time as long as it is there, and more when it starts again.
pub(crate) struct Shared<T>(Mutex<Option<Arc<T>>>);

/// How long a test may take to follow another that uses the same.
const WHILE: Duration = Duration::from_secs(20);

impl<T: Send + Sync> Shared<T> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// What is there, or what `make` gives; `None` where that gives nothing.
    pub(crate) fn get(&'static self, make: impl FnOnce() -> Option<T>) -> Option<Arc<T>> {
        let mut shared = self.lock();
        if shared.is_none() {
            *shared = Some(Arc::new(make()?));
            thread::spawn(|| self.end());
        }
        shared.clone()
    }

    /// Ends what is there once nobody but this has it.
    fn end(&self) {
        loop {
            thread::sleep(WHILE);
            let unused = self.lock().take_if(|shared| Arc::strong_count(shared) == 1);
            if unused.is_some() {
                return;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
